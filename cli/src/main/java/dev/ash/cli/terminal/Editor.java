package dev.ash.cli.terminal;

import dev.ash.cli.command.Host;
import java.io.IOException;
import java.nio.file.Files;

/** Runs the user's editor on a temporary file. */
public final class Editor {
    private Editor() {}

    /** Returns the saved text, or the original text if the editor failed. */
    public static String edit(Host host, String text) throws IOException, InterruptedException {
        var file = Files.createTempFile("ash-", ".json"); // readable only by its owner
        try {
            Files.writeString(file, text);
            var command = host.variable("VISUAL", host.variable("EDITOR", "vi")) + " \"$1\"";
            var process =
                    new ProcessBuilder("/bin/sh", "-c", command, "sh", file.toString())
                            .inheritIO()
                            .start();
            return process.waitFor() == 0 ? Files.readString(file) : text;
        } finally {
            Files.deleteIfExists(file);
        }
    }
}
