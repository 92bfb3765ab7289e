package dev.ash.pair.mailbox;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/**
 * Simulates another program: appends lines to a file, each with one write and without the lock.
 * Arguments: file, number of lines, microseconds between them.
 */
final class ForeignAppender {
    private ForeignAppender() {}

    public static void main(String[] args) throws IOException {
        int count = Integer.parseInt(args[1]);
        long interval = Duration.ofNanos(1000 * Long.parseLong(args[2])).toNanos();
        try (var file = FileChannel.open(Path.of(args[0]), StandardOpenOption.APPEND)) {
            long next = System.nanoTime();
            for (int n = 0; n < count; n++) {
                write(file, line(n));
                if (n % 100 == 50) {
                    write(file, n % 200 == 50 ? "\n" : "  \r\n");
                }
                next += interval;
                while (interval > 0 && System.nanoTime() < next) {
                    LockSupport.parkNanos(next - System.nanoTime());
                }
            }
        }
    }

    /** Most lines are short, some longer than a memory page, a few much longer. */
    private static String line(int n) {
        int length = n % 500 == 499 ? 300_000 : n % 20 == 19 ? 9_000 : n % 300;
        return "{\"type\":\"chat\",\"from\":\"foreign\",\"to\":\"\",\"content\":\"%d %s\"}\n"
                .formatted(n, "{x}".repeat(length / 3));
    }

    private static void write(FileChannel file, String text) throws IOException {
        var bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
        file.write(bytes);
        if (bytes.hasRemaining()) {
            throw new IOException("incomplete write");
        }
    }
}
