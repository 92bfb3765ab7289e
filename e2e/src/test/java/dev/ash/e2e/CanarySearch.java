package dev.ash.e2e;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/** Searches files for a recognizable key. */
public final class CanarySearch {
    /** Returns a key, reversed, and in Base64. */
    public static List<String> spellings(String key) {
        return List.of(
                key,
                new StringBuilder(key).reverse().toString(),
                Base64.getEncoder().withoutPadding().encodeToString(key.getBytes(UTF_8)));
    }

    /**
     * Returns the files that contain one of the words. Searches with grep: engines, caches and disk
     * images have gigabytes. Files of ended sessions may vanish meanwhile (-s).
     */
    public static List<String> files(Path directory, List<String> words) {
        var command = new ArrayList<>(List.of("grep", "-rlasF", "--devices=skip"));
        words.forEach(word -> command.addAll(List.of("-e", word)));
        command.add(directory.toString());
        var builder = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
        builder.environment().put("LC_ALL", "C"); // bytes, not characters
        try {
            var process = builder.start();
            try (var lines = process.inputReader(UTF_8)) {
                return lines.lines().toList();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private CanarySearch() {}
}
