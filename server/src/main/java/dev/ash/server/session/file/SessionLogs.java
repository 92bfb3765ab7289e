package dev.ash.server.session.file;

import dev.ash.protocol.Excerpt;
import dev.ash.protocol.SandboxId;
import dev.ash.protocol.rest.SessionApi.LogLine;
import dev.ash.sandbox.files.OutputTimes;
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
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * Reads the output of a sandbox's processes: the latest lines, each with the time when it was
 * written. Lines are numbered when they are first read, in the order of these times.
 */
public final class SessionLogs {
    private static final int MAX_LINES = 10_000;
    private static final int MAX_LINE_CHARS = 16 * 1024;
    private static final long MAX_CHARS = 1024 * 1024;
    private static final Set<OpenOption> READ =
            Set.of(StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS);
    private static final int MAX_READ_BYTES = 4 * 1024 * 1024;

    private final Function<SandboxId, Path> directories;
    private final Clock clock;
    private final Map<SandboxId, OutputBuffer> buffers = new ConcurrentHashMap<>();

    /** {@code directories} maps a sandbox to the directory of its output. */
    public SessionLogs(Function<SandboxId, Path> directories, Clock clock) {
        this.directories = directories;
        this.clock = clock;
    }

    /** Drops the buffers of sandboxes whose files were removed. */
    public void prune() {
        buffers.keySet().removeIf(sandbox -> !Files.isDirectory(directories.apply(sandbox)));
    }

    public List<LogLine> after(SandboxId sandbox, long index) throws IOException {
        var directory = directories.apply(sandbox);
        if (!Files.isDirectory(directory)) {
            buffers.remove(sandbox);
            return List.of();
        }
        var buffer = buffers.computeIfAbsent(sandbox, _ -> new OutputBuffer());
        synchronized (buffer) {
            var added = new ArrayList<Line>();
            buffer.stdout.readInto(
                    added, directory.resolve("stdout.log"), "stdout", clock.millis());
            buffer.stderr.readInto(
                    added, directory.resolve("stderr.log"), "stderr", clock.millis());
            added.stream().sorted(Comparator.comparingLong(Line::millis)).forEach(buffer::add);
            return buffer.lines.stream().filter(line -> line.index() > index).toList();
        }
    }

    private record Line(String level, String text, long millis) {}

    /** The latest lines of a sandbox. Guarded by its own lock. */
    private static final class OutputBuffer {
        private final ArrayDeque<LogLine> lines = new ArrayDeque<>();
        private final Position stdout = new Position();
        private final Position stderr = new Position();
        private long next;
        private long chars;

        private void add(Line line) {
            var excerpt = Excerpt.of(line.text(), MAX_LINE_CHARS);
            lines.add(new LogLine(next++, line.level(), excerpt, Timestamps.iso(line.millis())));
            chars += excerpt.length();
            while (lines.size() > MAX_LINES || chars > MAX_CHARS) {
                chars -= lines.removeFirst().text().length();
            }
        }
    }

    /** The position up to which a file was read, always the end of a line. */
    private static final class Position {
        private long offset;

        private void readInto(List<Line> lines, Path file, String level, long now)
                throws IOException {
            if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
                return;
            }
            try (var channel = FileChannel.open(file, READ)) {
                long size = channel.size();
                if (size < offset) {
                    offset = 0; // the file was rotated
                }
                offset = Math.max(offset, size - MAX_READ_BYTES);
                var bytes = ByteBuffer.allocate((int) (size - offset));
                while (bytes.hasRemaining()
                        && channel.read(bytes, offset + bytes.position()) > 0) {}
                if (bytes.position() > 0) {
                    var read = Arrays.copyOf(bytes.array(), bytes.position());
                    offset += split(read, OutputTimes.read(file, now), level, lines);
                }
            }
        }

        /** Splits the bytes into lines. Returns the number of bytes of complete lines. */
        private int split(byte[] bytes, OutputTimes times, String level, List<Line> lines) {
            int start = 0;
            for (int i = 0; i < bytes.length; i++) {
                if (bytes[i] == '\n') {
                    var text = new String(bytes, start, i - start, StandardCharsets.UTF_8);
                    start = i + 1;
                    long millis = times.before(offset + start);
                    (text.isEmpty() ? Stream.of(text) : text.lines()) // a lone CR also ends a line
                            .forEach(line -> lines.add(new Line(level, line, millis)));
                }
            }
            return start;
        }
    }
}
