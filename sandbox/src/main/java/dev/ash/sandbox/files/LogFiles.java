package dev.ash.sandbox.files;

import dev.ash.protocol.TimingLine;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;

/** What a bridge prints: two files that the server owns and opens, and the sandbox only writes. */
public record LogFiles(Path stdout, Path stderr) {
    static final long MAX_BYTES = 5 * 1024 * 1024;
    private static final int KEPT_BYTES = 1024 * 1024;
    private static final int TAIL_BYTES = 2 * 1024;

    /** How many bytes are searched for the last words: timing lines are not among them. */
    private static final int SEARCHED_BYTES = 64 * 1024;

    /** Makes the files ready for one more launch; of a large one only the end is kept. */
    public static LogFiles prepare(Path folder) throws IOException {
        Modes.folder(folder, Modes.OWNER_ONLY);
        var files = in(folder);
        ready(files.stdout);
        ready(files.stderr);
        return files;
    }

    static LogFiles in(Path folder) {
        return new LogFiles(folder.resolve("stdout.log"), folder.resolve("stderr.log"));
    }

    /**
     * The last words in a file, beginning not before this byte; empty if there are none. The lines
     * that {@code ASH_DEBUG_TIMING} asks for say nothing about a failure and are left out.
     */
    public static String tail(Path file, long from) {
        try {
            var bytes = last(file, from, SEARCHED_BYTES);
            var text = new String(bytes, StandardCharsets.UTF_8);
            boolean startsInLine = bytes.length == SEARCHED_BYTES;
            var words =
                    text.substring(startsInLine ? text.indexOf('\n') + 1 : 0)
                            .lines()
                            .filter(line -> !TimingLine.matches(line))
                            .collect(Collectors.joining("\n"))
                            .strip()
                            .getBytes(StandardCharsets.UTF_8);
            int start = Math.max(0, words.length - TAIL_BYTES);
            return new String(words, start, words.length - start, StandardCharsets.UTF_8);
        } catch (IOException e) {
            return "";
        }
    }

    private static void ready(Path file) throws IOException {
        if (Files.notExists(file)) {
            Files.createFile(file);
        } else {
            // The end of what the previous process wrote has its time by now, or never.
            new OutputTimes.Recorder(file).sample(System.currentTimeMillis());
            long size = Files.size(file);
            if (size > MAX_BYTES) {
                Files.write(file, last(file, 0, KEPT_BYTES));
                OutputTimes.removeFirst(file, size - KEPT_BYTES);
            }
        }
        Modes.set(file, "rw-------");
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
