package dev.ash.bridge.codex;

import dev.ash.bridge.engine.EngineException;
import dev.ash.bridge.engine.EngineSetup;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The CLI's own files in the sandbox's home. */
record CodexHome(Path folder) {
    static CodexHome of(EngineSetup setup) {
        return new CodexHome(setup.folders().home().resolve(".codex"));
    }

    /**
     * Makes the home ready for a start. Its configuration is given by flags, and the file is made
     * empty: there a project would be marked as trusted, and bring rules that let commands pass.
     */
    void prepare() throws EngineException {
        try {
            Files.createDirectories(folder);
            Files.writeString(folder.resolve("config.toml"), "");
        } catch (IOException e) {
            throw new EngineException("The home of Codex could not be made ready: " + e);
        }
    }

    /** Whether the CLI has written anything of this conversation yet. */
    boolean hasTranscript(String threadId) {
        var sessions = folder.resolve("sessions");
        if (!Files.isDirectory(sessions)) {
            return false;
        }
        try (var files = Files.walk(sessions)) {
            return files.anyMatch(file -> file.getFileName().toString().contains(threadId));
        } catch (IOException e) {
            return false;
        }
    }
}
