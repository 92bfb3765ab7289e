package dev.ash.cli.terminal;

import dev.ash.cli.command.Host;
import java.io.IOException;
import java.nio.file.Files;

/** The person's own editor, on a file of its own. */
public final class Editor {
    private Editor() {}

    /** The text as it was saved, or as it was where the editor failed. */
    public static String edit(Host host, String text) throws IOException, InterruptedException {
        var file = Files.createTempFile("ash-", ".json"); // readable by its owner alone
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
