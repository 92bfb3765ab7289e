package dev.ash.bridge.codex;

import dev.ash.bridge.engine.EngineException;
import dev.ash.bridge.engine.EngineSetup;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The directory with the CLI's own files in the sandbox's home. */
record CodexHome(Path directory) {
    static CodexHome of(EngineSetup setup) {
        return new CodexHome(setup.directories().home().resolve(".codex"));
    }

    /**
     * Prepares the home for a start. Truncates the configuration file, because it could mark a
     * project as trusted, whose rules allow commands; the configuration is passed by flags.
     */
    void prepare() throws EngineException {
        try {
            Files.createDirectories(directory);
            Files.writeString(directory.resolve("config.toml"), "");
        } catch (IOException e) {
            throw new EngineException("Cannot prepare the home of Codex: " + e);
        }
    }

    /** Returns whether the CLI has stored a transcript of this conversation. */
    boolean hasTranscript(String threadId) {
        var sessions = directory.resolve("sessions");
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
