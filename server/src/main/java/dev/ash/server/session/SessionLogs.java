package dev.ash.server.session;

import dev.ash.protocol.Excerpt;
import dev.ash.protocol.SandboxId;
import dev.ash.protocol.rest.SessionApi.LogLine;
import dev.ash.server.store.Timestamps;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Clock;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * What the processes of a sandbox printed, numbered in the order in which it is first read here.
 * The latest lines only: a sandbox may print without end.
 */
public final class SessionLogs {
    private static final int MAX_LINES = 10_000;
    private static final int MAX_LINE_CHARS = 16 * 1024;
    private static final long MAX_CHARS = 1024 * 1024;
    private static final Set<OpenOption> READ =
            Set.of(StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS);
    private static final int MAX_READ_BYTES = 4 * 1024 * 1024;

    private final Function<SandboxId, Path> folders;
    private final Clock clock;
    private final Map<SandboxId, Book> books = new ConcurrentHashMap<>();

    /** {@code folders} are those of the output of sandboxes. */
    public SessionLogs(Function<SandboxId, Path> folders, Clock clock) {
        this.folders = folders;
        this.clock = clock;
    }

    /** Forgets what was read of sandboxes whose files are gone. */
    public void prune() {
        books.keySet().removeIf(sandbox -> !Files.isDirectory(folders.apply(sandbox)));
    }

    List<LogLine> after(SandboxId sandbox, long index) throws IOException {
        var folder = folders.apply(sandbox);
        if (!Files.isDirectory(folder)) {
            books.remove(sandbox);
            return List.of();
        }
        var book = books.computeIfAbsent(sandbox, _ -> new Book());
        synchronized (book) {
            book.stdout.readInto(book, folder.resolve("stdout.log"), "stdout");
            book.stderr.readInto(book, folder.resolve("stderr.log"), "stderr");
            return book.lines.stream().filter(line -> line.index() > index).toList();
        }
    }

    /** Guarded by itself. */
    private final class Book {
        private final ArrayDeque<LogLine> lines = new ArrayDeque<>();
        private final Position stdout = new Position();
        private final Position stderr = new Position();
        private long next;
        private long chars;

        private void add(String level, String text) {
            var shown = Excerpt.of(text, MAX_LINE_CHARS);
            lines.add(new LogLine(next++, level, shown, Timestamps.iso(clock.millis())));
            chars += shown.length();
            while (lines.size() > MAX_LINES || chars > MAX_CHARS) {
                chars -= lines.removeFirst().text().length();
            }
        }
    }

    /** How far a file has been read: always to the end of a line. */
    private static final class Position {
        private long offset;

        private void readInto(Book book, Path file, String level) throws IOException {
            if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
                return;
            }
            try (var channel = FileChannel.open(file, READ)) {
                long size = channel.size();
                if (size < offset) {
                    offset = 0; // a new file in the place of one that grew too large
                }
                offset = Math.max(offset, size - MAX_READ_BYTES);
                var bytes = ByteBuffer.allocate((int) (size - offset));
                while (bytes.hasRemaining()
                        && channel.read(bytes, offset + bytes.position()) > 0) {}
                int end = bytes.position();
                while (end > 0 && bytes.get(end - 1) != '\n') {
                    end--;
                }
                new String(bytes.array(), 0, end, StandardCharsets.UTF_8)
                        .lines()
                        .forEach(line -> book.add(level, line));
                offset += end;
            }
        }
    }
}
