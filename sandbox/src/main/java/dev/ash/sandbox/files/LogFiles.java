package dev.ash.sandbox.files;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** What a bridge prints: two files that the server owns and opens, and the sandbox only writes. */
public record LogFiles(Path stdout, Path stderr) {
    static final long MAX_BYTES = 5 * 1024 * 1024;
    private static final int KEPT_BYTES = 1024 * 1024;
    private static final int TAIL_BYTES = 2 * 1024;

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

    /** The last words in a file, beginning not before this byte; empty if there are none. */
    public static String tail(Path file, long from) {
        try {
            return new String(last(file, from, TAIL_BYTES), StandardCharsets.UTF_8).strip();
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
