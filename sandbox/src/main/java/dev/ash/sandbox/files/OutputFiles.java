package dev.ash.sandbox.files;

import dev.ash.protocol.TimingLine;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;

/**
 * The output of a bridge: two files that the server owns and opens, and that the sandbox only
 * writes.
 */
public record OutputFiles(Path stdout, Path stderr) {
    static final long MAX_BYTES = 5 * 1024 * 1024;
    private static final int KEPT_BYTES = 1024 * 1024;
    private static final int TAIL_BYTES = 2 * 1024;

    /** The bytes that are read to find the last lines, as timing lines are skipped. */
    private static final int SEARCHED_BYTES = 64 * 1024;

    /** Prepares the files for a launch; truncates a large file to its end. */
    public static OutputFiles prepare(Path directory) throws IOException {
        FileModes.createDirectory(directory, FileModes.OWNER_ONLY);
        var files = in(directory);
        prepareFile(files.stdout);
        prepareFile(files.stderr);
        return files;
    }

    static OutputFiles in(Path directory) {
        return new OutputFiles(directory.resolve("stdout.log"), directory.resolve("stderr.log"));
    }

    /**
     * Returns the end of a file from the given offset; empty if there is no output. Omits the lines
     * of {@code ASH_DEBUG_TIMING}, which do not explain failures.
     */
    public static String tail(Path file, long from) {
        try {
            var bytes = last(file, from, SEARCHED_BYTES);
            var text = new String(bytes, StandardCharsets.UTF_8);
            boolean startsInLine = bytes.length == SEARCHED_BYTES;
            var tail =
                    text.substring(startsInLine ? text.indexOf('\n') + 1 : 0)
                            .lines()
                            .filter(line -> !TimingLine.matches(line))
                            .collect(Collectors.joining("\n"))
                            .strip()
                            .getBytes(StandardCharsets.UTF_8);
            int start = Math.max(0, tail.length - TAIL_BYTES);
            return new String(tail, start, tail.length - start, StandardCharsets.UTF_8);
        } catch (IOException e) {
            return "";
        }
    }

    private static void prepareFile(Path file) throws IOException {
        if (Files.notExists(file)) {
            Files.createFile(file);
        } else {
            // Record the time of the previous process's last output.
            new OutputTimes.Recorder(file).sample(System.currentTimeMillis());
            long size = Files.size(file);
            if (size > MAX_BYTES) {
                Files.write(file, last(file, 0, KEPT_BYTES));
                OutputTimes.removeFirst(file, size - KEPT_BYTES);
            }
        }
        FileModes.set(file, "rw-------");
    }

    private static byte[] last(Path file, long from, int limit) throws IOException {
        try (var in = new RandomAccessFile(file.toFile(), "r")) {
            long start = Math.max(from, in.length() - limit);
            var bytes = new byte[(int) Math.max(0, in.length() - start)];
            in.seek(start);
            in.readFully(bytes);
            return bytes;
        }
    }
}
