package dev.ash.sandbox;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Lists the host's processes, independently of the code under test. */
final class Processes {
    /** Returns the live processes with this text in their arguments or environment. */
    static List<String> with(String text) throws IOException {
        var found = new ArrayList<String>();
        try (var entries = Files.newDirectoryStream(Path.of("/proc"), "[0-9]*")) {
            for (var entry : entries) {
                try {
                    var arguments = read(entry.resolve("cmdline"));
                    if (arguments.contains(text) || read(entry.resolve("environ")).contains(text)) {
                        found.add(entry.getFileName() + ": " + arguments.replace('\0', ' '));
                    }
                } catch (IOException e) {
                    // Exited, a zombie, or not readable.
                }
            }
        }
        return found;
    }

    private static String read(Path file) throws IOException {
        return new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1);
    }

    private Processes() {}
}
