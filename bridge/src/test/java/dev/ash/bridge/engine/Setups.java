package dev.ash.bridge.engine;

import dev.ash.protocol.bridge.EngineConfig;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Setups for tests, with their folders below one. */
public final class Setups {
    public static EngineSetup in(Path folder, Map<String, String> environment) {
        return in(folder, environment, null);
    }

    public static EngineSetup in(
            Path folder, Map<String, String> environment, String permissionMode) {
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
        var folders =
                new SandboxFolders(
                        folder.resolve("workspace"),
                        folder.resolve("agent"),
                        folder.resolve("home"));
        return new EngineSetup("s", config, folders, environment, Conversation.load(folder));
    }

    private Setups() {}
}
