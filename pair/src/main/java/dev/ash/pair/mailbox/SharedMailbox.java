package dev.ash.pair.mailbox;

import dev.ash.pair.PeerName;
import dev.ash.pair.run.PrivateFiles;
import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The mailbox of a directory, shared by all {@link Mailbox} instances of this process. {@code lock}
 * guards the index of the file; only the writer thread uses the output channel.
 */
final class SharedMailbox implements AutoCloseable {
    private static final Duration GRACE = Duration.ofSeconds(1);
    private static final Duration MAX_TAIL_WAIT = Duration.ofSeconds(10);
    private static final Duration TAIL_POLL = Duration.ofMillis(10);
    private static final byte[] NEWLINE = {'\n'};
    private static final Duration LOCK_TIMEOUT = Duration.ofSeconds(30);
    private static final Duration MIN_POLL = Duration.ofMillis(5);
    private static final Duration MAX_POLL = Duration.ofMillis(100);

    /** Maximum bytes per read, unless a single line is longer. */
    private static final int MAX_READ_BYTES = 16 * 1024 * 1024;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final MailboxFile file;
    private final Path path;
    private final TornTail tail;
    private final PeerCursors cursors;
    private final MailboxWriter writer;
    private final Duration maxTailWait;
    private @Nullable FileChannel out;
    private boolean unsynced;

    SharedMailbox(Path directory) throws IOException {
        this(directory, GRACE, LOCK_TIMEOUT, MAX_TAIL_WAIT);
    }

    SharedMailbox(Path directory, Duration grace, Duration lockTimeout) throws IOException {
        this(directory, grace, lockTimeout, MAX_TAIL_WAIT);
    }

    /**
     * {@code grace} is how long unterminated bytes must be unchanged to count as torn, {@code
     * maxTailWait} how long to wait for a program that keeps changing them, and {@code lockTimeout}
     * how long to wait for the lock between processes.
     */
    SharedMailbox(Path directory, Duration grace, Duration lockTimeout, Duration maxTailWait)
            throws IOException {
        this.maxTailWait = maxTailWait;
        path = directory.resolve("bridge.jsonl");
        var lockFile = directory.resolve("bridge.lock");
        PrivateFiles.createFile(path);
        PrivateFiles.createFile(lockFile);
        file = new MailboxFile(path);
        tail = new TornTail(file, grace, System::nanoTime);
        cursors = new PeerCursors(directory);
        writer = new MailboxWriter(lockFile, lockTimeout, new OutputChannel());
        writer.start();
        try {
            status(); // starts the grace period of a torn line
        } catch (IOException e) {
            close();
            throw e;
        }
    }

    private final class OutputChannel implements MailboxWriter.BatchListener {
        @Override
        public void beforeBatch() throws IOException {
            closeOutput();
            // Reopened for each batch, because the file may have been replaced.
            out = FileChannel.open(path, StandardOpenOption.WRITE, StandardOpenOption.APPEND);
        }

        @Override
        public void afterBatch() throws IOException {
            if (unsynced) {
                output().force(false);
                unsynced = false;
            }
            closeOutput();
            lock.lock();
            try {
                changed.signalAll();
            } finally {
                lock.unlock();
            }
        }
    }

    AppendResult append(Message message) throws IOException {
        return writer.call(() -> write(message));
    }

    private AppendResult write(Message message) throws IOException {
        lock.lock();
        try {
            var index = terminateTail();
            var duplicate = findDuplicate(index, message);
            if (duplicate.isPresent()) {
                return new AppendResult(file.entry(duplicate.getAsLong()), true);
            }
            long seq = index.count() + 1L;
            var line = MessageLine.encode(message, seq);
            if (line.length > MessageLine.MAX_BYTES) {
                throw new ApiException(
                        ErrorCode.PAYLOAD_TOO_LARGE,
                        "The message has %d bytes as a line, and the maximum is %d; write the text to a file and send its path"
                                .formatted(line.length, MessageLine.MAX_BYTES));
            }
            writeLine(line);
            return new AppendResult(file.entry(findWritten(line, seq)), false);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Finds the number of the written line. It is greater than expected if another program appended
     * without the lock just before; the position then takes precedence over the {@code seq} in the
     * line.
     */
    private long findWritten(byte[] line, long expected) throws IOException {
        var index = refresh();
        for (long seq = expected; seq <= index.count(); seq++) {
            if (index.length(seq) == line.length - 1
                    && Arrays.equals(
                            file.bytes(index.offset(seq), line.length - 1),
                            Arrays.copyOf(line, line.length - 1))) {
                return seq;
            }
        }
        throw new IOException(
                "The message could not be written completely; free disk space and send it again");
    }

    /**
     * Writes the line in one call, so that lines of other programs cannot interleave. If only a
     * part is written, it remains as a torn line: truncating the file could remove lines that
     * another program appended meanwhile.
     */
    private void writeLine(byte[] line) throws IOException {
        unsynced = true;
        int written = output().write(ByteBuffer.wrap(line));
        if (written < line.length) {
            output().write(ByteBuffer.wrap(NEWLINE));
        }
    }

    /**
     * Waits until the file ends with a newline, and appends one after torn bytes. A line that
     * another program appends concurrently is either joined to the torn bytes, where it is still
     * found, or follows the newline. Runs in the writer thread; releases the lock while waiting.
     */
    private Index terminateTail() throws IOException {
        long deadline = System.nanoTime() + maxTailWait.toNanos();
        try {
            var index = refresh();
            while (!tail.isEmpty()) {
                if (tail.isTorn()) {
                    writeLine(NEWLINE);
                } else if (System.nanoTime() - deadline > 0) {
                    throw new IOException(
                            "Another program has left a line unfinished for %d s; stop it, or send the message again later"
                                    .formatted(maxTailWait.toSeconds()));
                } else {
                    changed.awaitNanos(Math.min(tail.nanosUntilTorn(), TAIL_POLL.toNanos()));
                }
                index = refresh();
            }
            return index;
        } catch (InterruptedException e) {
            throw new InterruptedIOException("The mailbox is being closed");
        }
    }

    /** Refreshes and returns the index. The caller must hold {@code lock}. */
    private Index refresh() throws IOException {
        var index = file.refresh();
        tail.observe();
        return index;
    }

    /**
     * As {@link #refresh}; also schedules the termination of torn bytes, which may be a complete
     * message.
     */
    private Index refreshForRead() throws IOException {
        var index = refresh();
        if (tail.claim()) {
            writer.offer(this::terminateForReaders);
        }
        return index;
    }

    private boolean terminateForReaders() throws IOException {
        lock.lock();
        try {
            terminateTail();
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Finds the message that this one duplicates. */
    private OptionalLong findDuplicate(Index index, Message message) throws IOException {
        var clientId = message.clientId();
        if (clientId == null) {
            var last = index.last();
            return last != null && last.message().hasSameContent(message)
                    ? OptionalLong.of(last.seq())
                    : OptionalLong.empty();
        }
        var first = index.findByClientId(message.from(), clientId);
        if (first.isPresent() && !file.entry(first.getAsLong()).message().hasSameContent(message)) {
            throw new ApiException(
                    ErrorCode.IDEMPOTENCY_MISMATCH,
                    "The client_id '%s' was already used for a different message, number %d; use a new client_id for each message"
                            .formatted(clientId, first.getAsLong()));
        }
        return first;
    }

    List<Entry> read(long afterSeq, int limit) throws IOException {
        lock.lock();
        try {
            var index = refreshForRead();
            var entries = new ArrayList<Entry>();
            long bytes = 0;
            for (long seq = Math.max(0, afterSeq) + 1;
                    seq <= index.count() && entries.size() < limit;
                    seq++) {
                bytes += index.length(seq);
                if (bytes > MAX_READ_BYTES && !entries.isEmpty()) {
                    break;
                }
                entries.add(file.entry(seq));
            }
            return entries;
        } finally {
            lock.unlock();
        }
    }

    Optional<Entry> await(long afterSeq, Duration timeout)
            throws IOException, InterruptedException {
        long deadline = System.nanoTime() + timeout.toNanos();
        long pause = MIN_POLL.toNanos();
        lock.lockInterruptibly();
        try {
            while (true) {
                var found = read(afterSeq, 1);
                long left = deadline - System.nanoTime();
                if (!found.isEmpty() || left <= 0) {
                    return found.stream().findFirst();
                }
                // Writers of this process signal; appends of other processes are found by polling.
                if (changed.awaitNanos(Math.min(left, pause)) > 0) {
                    pause = MIN_POLL.toNanos();
                } else {
                    pause = Math.min(pause * 2, MAX_POLL.toNanos());
                }
            }
        } finally {
            lock.unlock();
        }
    }

    OptionalLong lastWithId(String id) throws IOException {
        lock.lock();
        try {
            var index = refreshForRead();
            for (long seq = index.count(); seq > 0; seq--) {
                if (index.mayHaveId(seq, id) && file.entry(seq).message().id().equals(id)) {
                    return OptionalLong.of(seq);
                }
            }
            return OptionalLong.empty();
        } finally {
            lock.unlock();
        }
    }

    Status status() throws IOException {
        lock.lock();
        try {
            return refreshForRead().status();
        } finally {
            lock.unlock();
        }
    }

    long acked(PeerName peer) throws IOException {
        return cursors.acked(peer);
    }

    long ack(PeerName peer, long seq) throws IOException {
        return seq <= cursors.acked(peer)
                ? cursors.acked(peer)
                : writer.call(() -> cursors.ack(peer, seq));
    }

    @Override
    public void close() throws IOException {
        writer.close();
        lock.lock();
        try {
            closeOutput();
            file.close();
        } finally {
            lock.unlock();
        }
    }

    private FileChannel output() {
        return Objects.requireNonNull(out, "open only during a batch");
    }

    private void closeOutput() throws IOException {
        if (out != null) {
            out.close();
            out = null;
        }
    }
}
