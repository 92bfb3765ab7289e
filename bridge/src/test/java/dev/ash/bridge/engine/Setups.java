package dev.ash.bridge.engine;

import dev.ash.protocol.bridge.EngineConfig;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Creates {@link EngineSetup}s for tests, with their directories below a common one. */
public final class Setups {
    public static EngineSetup in(Path directory, Map<String, String> environment) {
        return in(directory, environment, null);
    }

    public static EngineSetup in(
            Path directory, Map<String, String> environment, String permissionMode) {
        var config =
                new EngineConfig(
                        null,
                        null,
                        null,
                        null,
                        permissionMode,
                        null,
                        null,
                        null,
                        List.of(),
                        List.of("Write"),
                        List.of(),
                        Map.of(),
                        null);
        var directories =
                new SandboxDirectories(
                        directory.resolve("workspace"),
                        directory.resolve("agent"),
                        directory.resolve("home"));
        return new EngineSetup("s", config, directories, environment, Conversation.load(directory));
    }

    private Setups() {}
}
