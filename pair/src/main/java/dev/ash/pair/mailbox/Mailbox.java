package dev.ash.pair.mailbox;

import dev.ash.pair.PeerName;
import dev.ash.pair.run.PrivateFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The mailbox of a run, {@code bridge.jsonl} in its directory. Thread-safe. Other instances of this
 * and other processes may have the same file open, and other programs may append to it without the
 * lock.
 */
public final class Mailbox implements AutoCloseable {
    private final Path directory;
    private final int runId;
    private final Clock clock;
    private final SharedMailbox shared;
    private final AtomicBoolean closed = new AtomicBoolean();

    private Mailbox(Path directory, int runId, Clock clock, SharedMailbox shared) {
        this.directory = directory;
        this.runId = runId;
        this.clock = clock;
        this.shared = shared;
    }

    /** Opens a mailbox, and creates it if it is missing. */
    public static Mailbox open(Path runDirectory, int runId) throws IOException {
        return open(runDirectory, runId, Clock.systemUTC());
    }

    public static Mailbox open(Path runDirectory, int runId, Clock clock) throws IOException {
        PrivateFiles.createDirectories(runDirectory);
        var directory = runDirectory.toRealPath();
        return new Mailbox(directory, runId, clock, SharedMailboxes.acquire(directory));
    }

    /** Counts the messages of a mailbox without changing its directory. */
    public static Status inspect(Path runDirectory) throws IOException {
        try (var file = new MailboxFile(runDirectory.resolve("bridge.jsonl"))) {
            return file.refresh().status();
        }
    }

    public Path directory() {
        return directory;
    }

    public int runId() {
        return runId;
    }

    /** Appends a message durably, or returns the existing message if it is a duplicate. */
    public AppendResult append(Draft draft) throws IOException {
        return shared.append(draft.toMessage(runId, clock.instant().toString()));
    }

    /**
     * Returns the messages after a number, in order. Returns fewer than the limit if they are long,
     * but at least one if there is any.
     */
    public List<Entry> read(long afterSeq, int limit) throws IOException {
        return shared.read(afterSeq, limit);
    }

    /** Waits for the first message after a number; empty after the timeout. */
    public Optional<Entry> await(long afterSeq, Duration timeout)
            throws IOException, InterruptedException {
        return shared.await(afterSeq, timeout);
    }

    /** Returns the number of the last message with this id; repeated messages share an id. */
    public OptionalLong lastWithId(String id) throws IOException {
        return shared.lastWithId(id);
    }

    public Status status() throws IOException {
        return shared.status();
    }

    /** Returns the number up to which a peer has acknowledged. */
    public long acked(PeerName peer) throws IOException {
        return shared.acked(peer);
    }

    /** Acknowledges up to a number, and returns the acknowledged number, which never decreases. */
    public long ack(PeerName peer, long seq) throws IOException {
        return shared.ack(peer, seq);
    }

    @Override
    public void close() throws IOException {
        if (!closed.getAndSet(true)) {
            SharedMailboxes.release(directory);
        }
    }
}
