package dev.ash.bridge.acp;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The conversations that Gemini has stored in a home. A process that loads one first creates an
 * empty file for it, whose name has the current minute and the beginning of its id: in the minute
 * in which the conversation began, it overwrites the conversation (observed with 0.61). Another
 * name avoids that; Gemini finds conversations by the id in the file.
 */
final class GeminiChats {
    private static final String PREFIX = "session-";
    private static final String KEPT = PREFIX + "kept-";

    /** Renames the stored conversations; does nothing for other engines. */
    static void keep(Path home) {
        var projects = home.resolve(".gemini/tmp");
        if (!Files.isDirectory(projects)) {
            return;
        }
        try (var directories = Files.newDirectoryStream(projects)) {
            for (var directory : directories) {
                keepIn(directory.resolve("chats"));
            }
        } catch (IOException e) {
            System.err.println("bridge: cannot keep the conversations of Gemini: " + e);
        }
    }

    private static void keepIn(Path chats) throws IOException {
        if (!Files.isDirectory(chats)) {
            return;
        }
        DirectoryStream.Filter<Path> renamed =
                file -> {
                    var name = file.getFileName().toString();
                    return name.startsWith(PREFIX) && !name.startsWith(KEPT);
                };
        try (var files = Files.newDirectoryStream(chats, renamed)) {
            for (var file : files) {
                keep(chats, file);
            }
        }
    }

    /** A second file with the same id is the empty one: the conversation continues in the first. */
    private static void keep(Path chats, Path file) throws IOException {
        var rest = file.getFileName().toString().substring(PREFIX.length());
        var id = rest.substring(rest.lastIndexOf('-') + 1);
        try (var kept = Files.newDirectoryStream(chats, KEPT + "*-" + id)) {
            if (kept.iterator().hasNext()) {
                Files.delete(file);
                return;
            }
        }
        Files.move(file, chats.resolve(KEPT + rest));
    }

    private GeminiChats() {}
}
