package dev.ash.sandbox;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Looks at the host's processes from the outside, by means that the code under test does not use.
 */
final class Processes {
    /** Living processes with this text among their arguments or variables. */
    static List<String> with(String text) throws IOException {
        var found = new ArrayList<String>();
        try (var entries = Files.newDirectoryStream(Path.of("/proc"), "[0-9]*")) {
            for (var entry : entries) {
                try {
                    var words = read(entry.resolve("cmdline"));
                    if (words.contains(text) || read(entry.resolve("environ")).contains(text)) {
                        found.add(entry.getFileName() + ": " + words.replace('\0', ' '));
                    }
                } catch (IOException e) {
                    // It ended, or is a zombie or somebody else's.
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
