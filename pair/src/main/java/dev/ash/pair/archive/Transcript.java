package dev.ash.pair.archive;

import dev.ash.pair.loop.Journal;
import dev.ash.pair.run.PrivateFiles;
import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The event log of a run, {@code transcript.jsonl}: one event per line, numbered from 1 by
 * position. Only the process that executes the run appends; any process can read. A line that a
 * crash left incomplete is terminated and counts as an empty line.
 */
public final class Transcript {
    private static final String FILE = "transcript.jsonl";
    private static final int MAX_READ = 16 * 1024 * 1024;

    private final Path file;
    private final int runId;
    private final Clock clock;
    private boolean tailTerminated;
    private boolean ended;

    public Transcript(Path directory, int runId, Clock clock) {
        this.file = directory.resolve(FILE);
        this.runId = runId;
        this.clock = clock;
    }

    /** A line and its number; an incomplete line has the data {@code null}. */
    public record Line(long seq, RawJson data) {}

    /** Consecutive lines, and the position of the next read. */
    public record Page(List<Line> lines, long nextOffset, long nextSeq) {}

    synchronized void append(Journal.Event event) {
        var json =
                JsonWriter.object()
                        .put("type", event.type())
                        .put("timestamp", clock.instant().toString())
                        .put("run_id", runId)
                        .put("iteration", event.round())
                        .put("agent", event.peer() == null ? null : event.peer().value())
                        .put("content", event.content())
                        .end()
                        .toBytes();
        var line = Arrays.copyOf(json, json.length + 1);
        line[json.length] = '\n';
        try {
            PrivateFiles.createFile(file);
            // Not a channel: interrupting the thread would close it during the write.
            try (var out = new RandomAccessFile(file.toFile(), "rw")) {
                if (!tailTerminated && out.length() > 0 && !endsLine(out)) {
                    out.write('\n');
                }
                tailTerminated = true;
                out.seek(out.length());
                out.write(line);
                out.getFD().sync();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        notifyAll();
    }

    private static boolean endsLine(RandomAccessFile file) throws IOException {
        file.seek(file.length() - 1);
        return file.read() == '\n';
    }

    /** Reads complete lines from an offset; {@code seq} is the number of the line before it. */
    public Page read(long offset, long seq) throws IOException {
        var lines = new ArrayList<Line>();
        try (var channel = FileChannel.open(file, StandardOpenOption.READ)) {
            var bytes =
                    ByteBuffer.allocate(
                            (int) Math.min(MAX_READ, Math.max(0, channel.size() - offset)));
            while (bytes.hasRemaining() && channel.read(bytes, offset + bytes.position()) >= 0) {
                // until the buffer is full
            }
            var current = new ByteArrayOutputStream();
            long next = offset;
            long number = seq;
            for (int i = 0; i < bytes.position(); i++) {
                byte b = bytes.get(i);
                if (b == '\n') {
                    number++;
                    lines.add(new Line(number, line(current.toByteArray())));
                    current.reset();
                    next = offset + i + 1;
                } else {
                    current.write(b);
                }
            }
            return new Page(lines, next, number);
        } catch (NoSuchFileException e) {
            return new Page(List.of(), offset, seq);
        }
    }

    private static RawJson line(byte[] bytes) {
        try {
            JsonObject.parse(new RawJson(bytes));
            return new RawJson(bytes);
        } catch (MalformedJsonException e) {
            return RawJson.NULL;
        }
    }

    /** Waits until the file is longer than the offset, or the time limit; returns whether it is. */
    public synchronized boolean await(long offset, Duration limit)
            throws IOException, InterruptedException {
        if (!ended && !isLongerThan(offset)) {
            TimeUnit.MILLISECONDS.timedWait(this, limit.toMillis());
        }
        return isLongerThan(offset);
    }

    /** Wakes all waiting readers: the run is no longer executed, so no line will follow. */
    public synchronized void end() {
        ended = true;
        notifyAll();
    }

    private boolean isLongerThan(long offset) throws IOException {
        return Files.exists(file) && Files.size(file) > offset;
    }
}
