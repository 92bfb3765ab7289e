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
 * The mailbox of a directory in this process, shared by all who have it open. {@code lock} guards
 * what is known of the file; the channel to write to belongs to the writer's thread.
 */
final class SharedMailbox implements AutoCloseable {
    private static final Duration GRACE = Duration.ofSeconds(1);
    private static final Duration MAX_TAIL_WAIT = Duration.ofSeconds(10);
    private static final Duration TAIL_POLL = Duration.ofMillis(10);
    private static final byte[] NEWLINE = {'\n'};
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Duration FIRST_LOOK = Duration.ofMillis(5);
    private static final Duration LAST_LOOK = Duration.ofMillis(100);

    /** At most so many bytes of lines are read at once, but one line always. */
    private static final int READ_BYTES = 16 * 1024 * 1024;

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
        this(directory, GRACE, PATIENCE, MAX_TAIL_WAIT);
    }

    SharedMailbox(Path directory, Duration grace, Duration patience) throws IOException {
        this(directory, grace, patience, MAX_TAIL_WAIT);
    }

    /**
     * {@code grace} is how long unterminated bytes must not change to count as torn, {@code
     * maxTailWait} how long to wait for a program that keeps changing them, and {@code patience}
     * how long to wait for the lock between processes.
     */
    SharedMailbox(Path directory, Duration grace, Duration patience, Duration maxTailWait)
            throws IOException {
        this.maxTailWait = maxTailWait;
        path = directory.resolve("bridge.jsonl");
        var lockFile = directory.resolve("bridge.lock");
        PrivateFiles.createFile(path);
        PrivateFiles.createFile(lockFile);
        file = new MailboxFile(path);
        tail = new TornTail(file, grace, System::nanoTime);
        cursors = new PeerCursors(directory);
        writer = new MailboxWriter(lockFile, patience, new WriterTurn());
        writer.start();
        try {
            status(); // starts the grace period of a torn line
        } catch (IOException e) {
            close();
            throw e;
        }
    }

    private final class WriterTurn implements MailboxWriter.Turn {
        @Override
        public void before() throws IOException {
            closeOut();
            // Opened for each turn: the file may be another one by now.
            out = FileChannel.open(path, StandardOpenOption.WRITE, StandardOpenOption.APPEND);
        }

        @Override
        public void after() throws IOException {
            if (unsynced) {
                opened().force(false);
                unsynced = false;
            }
            closeOut();
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
            var first = earlier(index, message);
            if (first.isPresent()) {
                return new AppendResult(file.entry(first.getAsLong()), true);
            }
            long seq = index.count() + 1L;
            var line = MessageLine.encode(message, seq);
            if (line.length > MessageLine.MAX_BYTES) {
                throw new ApiException(
                        ErrorCode.PAYLOAD_TOO_LARGE,
                        "The message is a line of %d bytes, and a mailbox takes lines of up to %d; put the text into a file and send its path"
                                .formatted(line.length, MessageLine.MAX_BYTES));
            }
            put(line);
            return new AppendResult(file.entry(place(line, seq)), false);
        } finally {
            lock.unlock();
        }
    }

    /**
     * The number of the line: greater than expected if a program without our lock appended between
     * the last look and our write. Its {@code seq} then differs from its place, which counts.
     */
    private long place(byte[] line, long expected) throws IOException {
        var index = look();
        for (long seq = expected; seq <= index.count(); seq++) {
            if (index.length(seq) == line.length - 1
                    && Arrays.equals(
                            file.bytes(index.offset(seq), line.length - 1),
                            Arrays.copyOf(line, line.length - 1))) {
                return seq;
            }
        }
        throw new IOException(
                "the message could not be written whole; free some disk space and send it again");
    }

    /**
     * One write, so that no line of another program comes between its bytes. If the disk takes only
     * part of it, that part stays as a torn line: truncating it could remove what another program
     * appended meanwhile.
     */
    private void put(byte[] line) throws IOException {
        unsynced = true;
        int written = opened().write(ByteBuffer.wrap(line));
        if (written < line.length) {
            opened().write(ByteBuffer.wrap(NEWLINE));
        }
    }

    /**
     * Waits until the file ends with a newline, and writes one behind torn bytes. A line that
     * another program appends at the same time is either glued to the torn bytes, where it is still
     * read, or follows the newline. For the writer's thread; releases the lock while it waits.
     */
    private Index terminateTail() throws IOException {
        long deadline = System.nanoTime() + maxTailWait.toNanos();
        try {
            var index = look();
            while (!tail.isEmpty()) {
                if (tail.isTorn()) {
                    put(NEWLINE);
                } else if (System.nanoTime() - deadline > 0) {
                    throw new IOException(
                            "another program has been writing one line for %d s without finishing it; stop it, or send the message again later"
                                    .formatted(maxTailWait.toSeconds()));
                } else {
                    changed.awaitNanos(Math.min(tail.nanosUntilTorn(), TAIL_POLL.toNanos()));
                }
                index = look();
            }
            return index;
        } catch (InterruptedException e) {
            throw new InterruptedIOException("the mailbox is being closed");
        }
    }

    /** The index of what is in the file now. For whoever holds {@code lock}. */
    private Index look() throws IOException {
        var index = file.catchUp();
        tail.observe();
        return index;
    }

    /** As {@link #look}, for readers: has torn bytes terminated, which may be a whole message. */
    private Index readable() throws IOException {
        var index = look();
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

    /** The message that this one is a retry of. */
    private OptionalLong earlier(Index index, Message message) throws IOException {
        var clientId = message.clientId();
        if (clientId == null) {
            var last = index.last();
            return last != null && last.message().saysSameAs(message)
                    ? OptionalLong.of(last.seq())
                    : OptionalLong.empty();
        }
        var first = index.firstOf(message.from(), clientId);
        if (first.isPresent() && !file.entry(first.getAsLong()).message().saysSameAs(message)) {
            throw new ApiException(
                    ErrorCode.IDEMPOTENCY_MISMATCH,
                    "The client_id '%s' stands for another message already, number %d; give this one a client_id of its own"
                            .formatted(clientId, first.getAsLong()));
        }
        return first;
    }

    List<Entry> read(long afterSeq, int limit) throws IOException {
        lock.lock();
        try {
            var index = readable();
            var entries = new ArrayList<Entry>();
            long bytes = 0;
            for (long seq = Math.max(0, afterSeq) + 1;
                    seq <= index.count() && entries.size() < limit;
                    seq++) {
                bytes += index.length(seq);
                if (bytes > READ_BYTES && !entries.isEmpty()) {
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
        long pause = FIRST_LOOK.toNanos();
        lock.lockInterruptibly();
        try {
            while (true) {
                var found = read(afterSeq, 1);
                long left = deadline - System.nanoTime();
                if (!found.isEmpty() || left <= 0) {
                    return found.stream().findFirst();
                }
                // Our own writers signal; those of other processes are seen by looking.
                if (changed.awaitNanos(Math.min(left, pause)) > 0) {
                    pause = FIRST_LOOK.toNanos();
                } else {
                    pause = Math.min(pause * 2, LAST_LOOK.toNanos());
                }
            }
        } finally {
            lock.unlock();
        }
    }

    OptionalLong lastWithId(String id) throws IOException {
        lock.lock();
        try {
            var index = readable();
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
            return readable().status();
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
            closeOut();
            file.close();
        } finally {
            lock.unlock();
        }
    }

    private FileChannel opened() {
        return Objects.requireNonNull(out, "open during a turn");
    }

    private void closeOut() throws IOException {
        if (out != null) {
            out.close();
            out = null;
        }
    }
}
