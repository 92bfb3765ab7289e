package dev.ash.bridge;

import dev.ash.bridge.engine.SandboxDirectories;
import dev.ash.protocol.bridge.BridgeEvent.Ready;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The settings of the bridge, read from its environment.
 *
 * @param rejectsSandboxPeers whether to reject connections from processes of this PID namespace,
 *     because servers are outside it
 */
record BridgeSettings(
        Path socket,
        SandboxDirectories directories,
        @Nullable String sandboxId,
        @Nullable String nonce,
        String sessionId,
        Duration grace,
        boolean rejectsSandboxPeers,
        Map<String, String> environment) {

    private static final long DEFAULT_GRACE_MS = 60_000;

    /** Reads and closes the descriptor of the nonce, so it can be called only once. */
    static BridgeSettings from(Map<String, String> variables) throws IOException {
        var workspace = Path.of(variables.getOrDefault("ASH_WORKSPACE_DIR", "")).toAbsolutePath();
        var agent = variables.get("ASH_AGENT_DIR");
        var home = variables.get("HOME");
        var inherited = new HashMap<>(variables);
        // The nonce authenticates this bridge to the server: hide it from engines and commands.
        inherited.remove("ASH_BRIDGE_NONCE");
        inherited.remove(NonceInput.VARIABLE);
        inherited.remove("ASH_BRIDGE_GRACE_MS");
        inherited.remove("ASH_BRIDGE_PEERS");
        JavaOptions.of(variables).ifPresent(options -> inherited.put("JAVA_TOOL_OPTIONS", options));
        return new BridgeSettings(
                Path.of(require(variables, "ASH_BRIDGE_SOCKET")),
                new SandboxDirectories(
                        workspace,
                        agent == null ? workspace : Path.of(agent),
                        home == null ? workspace : Path.of(home),
                        "1".equals(variables.get("ASH_PROJECT"))),
                variables.get("ASH_SANDBOX_ID"),
                NonceInput.read(variables),
                variables.getOrDefault("ASH_SESSION_ID", ""),
                Duration.ofMillis(graceMillis(variables.get("ASH_BRIDGE_GRACE_MS"))),
                "outside".equals(variables.get("ASH_BRIDGE_PEERS")),
                Map.copyOf(inherited));
    }

    Ready ready(String engine) {
        return new Ready(sandboxId, nonce, engine);
    }

    boolean timing() {
        return environment.getOrDefault("ASH_DEBUG_TIMING", "").equals("1");
    }

    private static String require(Map<String, String> variables, String name) {
        var value = variables.getOrDefault(name, "");
        if (value.isEmpty()) {
            throw new IllegalArgumentException(
                    name + " is not set; start the bridge through a sandbox, which sets it");
        }
        return value;
    }

    private static long graceMillis(@Nullable String text) {
        try {
            return text == null ? DEFAULT_GRACE_MS : Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(
                    "ASH_BRIDGE_GRACE_MS is \"" + text + "\"; it must be a number of milliseconds",
                    e);
        }
    }
}
