package dev.ash.e2e;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;

/** Access to the scripts in the test resources. */
public final class Resources {
    /** Settings of a server whose sandboxes run the agent's bridge of the plain protocol. */
    public static final Map<String, String> SEED_BRIDGE =
            Map.of("ASH_BRIDGE_COMMAND", "python3 bridge.py");

    /**
     * Returns the files of an agent with its own bridge; a sandbox starts in a copy of the agent's
     * directory.
     */
    public static Map<String, String> agentWithBridge(String bridge) {
        return Map.of("CLAUDE.md", "You echo.\n", "bridge.py", text("bridges/" + bridge));
    }

    public static String text(String name) {
        try (var in = Resources.class.getResourceAsStream("/" + name)) {
            return new String(in.readAllBytes(), UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Resources() {}
}
