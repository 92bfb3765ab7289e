package dev.ash.pair.mailbox;

import dev.ash.pair.PeerName;
import dev.ash.pair.run.PrivateFiles;
import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import java.io.IOException;
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
 * The mailbox of a folder in this process, shared by all who have it open. {@code lock} guards what
 * is known of the file; the channel to write to belongs to the writer's thread.
 */
final class Store implements AutoCloseable {
    private static final Duration GRACE = Duration.ofMillis(20);
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
    private final Cursors cursors;
    private final Writer writer;
    private @Nullable FileChannel out;
    private boolean unsynced;

    Store(Path folder) throws IOException {
        this(folder, GRACE, PATIENCE);
    }

    /**
     * With this long for programs without our lock to finish a line, and for those with it to give
     * it back.
     */
    Store(Path folder, Duration grace, Duration patience) throws IOException {
        path = folder.resolve("bridge.jsonl");
        var lockFile = folder.resolve("bridge.lock");
        PrivateFiles.createFile(path);
        PrivateFiles.createFile(lockFile);
        file = new MailboxFile(path);
        tail = new TornTail(file, folder.resolve("bridge.quarantine"), grace);
        cursors = new Cursors(folder);
        writer = new Writer(lockFile, patience, new WriterTurn());
        writer.start();
        try {
            writer.call(() -> true); // repairs
        } catch (IOException e) {
            close();
            throw e;
        }
    }

    private final class WriterTurn implements Writer.Turn {
        @Override
        public void before() throws IOException {
            lock.lock();
            try {
                file.catchUp();
                closeOut();
                // Opened for each turn: the file may be another one by now.
                out = FileChannel.open(path, StandardOpenOption.WRITE, StandardOpenOption.APPEND);
                if (file.tailBytes() > 0) {
                    tail.repair(out);
                }
            } finally {
                lock.unlock();
            }
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

    Appended append(Message message) throws IOException {
        return writer.call(() -> write(message));
    }

    private Appended write(Message message) throws IOException {
        lock.lock();
        try {
            var index = file.catchUp();
            var first = earlier(index, message);
            if (first.isPresent()) {
                return new Appended(file.entry(first.getAsLong()), true);
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
            return new Appended(file.entry(place(line, seq)), false);
        } finally {
            lock.unlock();
        }
    }

    /** Where the line stands: later than expected if somebody without our lock was faster. */
    private long place(byte[] line, long expected) throws IOException {
        var index = file.catchUp();
        for (long seq = expected; seq <= index.count(); seq++) {
            if (index.length(seq) == line.length - 1
                    && Arrays.equals(
                            file.bytes(index.offset(seq), line.length - 1),
                            Arrays.copyOf(line, line.length - 1))) {
                return seq;
            }
        }
        throw new IOException(
                "another program wrote into the middle of the message; send it again");
    }

    /** One write. What a full disk let through of it is taken back, if nobody wrote after it. */
    private void put(byte[] line) throws IOException {
        var buffer = ByteBuffer.wrap(line);
        var out = opened();
        long before = out.size();
        unsynced = true;
        try {
            while (buffer.hasRemaining()) {
                out.write(buffer);
            }
        } catch (IOException e) {
            if (out.size() == before + buffer.position()) {
                out.truncate(before);
            }
            throw e;
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
            var index = file.catchUp();
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
            var index = file.catchUp();
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
            return file.catchUp().status();
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
