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
 * The mailbox of a run, {@code bridge.jsonl} in its directory. Any thread may use it, other
 * Mailboxes of this process and of others may have the same file open, and so may programs that
 * know nothing of our lock.
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

    /** Opens it, and creates it if it is new. */
    public static Mailbox open(Path runDirectory, int runId) throws IOException {
        return open(runDirectory, runId, Clock.systemUTC());
    }

    public static Mailbox open(Path runDirectory, int runId, Clock clock) throws IOException {
        PrivateFiles.createDirectories(runDirectory);
        var directory = runDirectory.toRealPath();
        return new Mailbox(directory, runId, clock, SharedMailboxes.acquire(directory));
    }

    /** Counts what is in the mailbox of a directory, and changes nothing there. */
    public static Status inspect(Path runDirectory) throws IOException {
        try (var file = new MailboxFile(runDirectory.resolve("bridge.jsonl"))) {
            return file.catchUp().status();
        }
    }

    public Path directory() {
        return directory;
    }

    public int runId() {
        return runId;
    }

    /** Stores it, on disk when this returns, or finds that it is a retry. */
    public AppendResult append(Draft draft) throws IOException {
        return shared.append(draft.toMessage(runId, clock.instant().toString()));
    }

    /**
     * The messages after this number, from 0, in order. May be fewer than the limit where they are
     * long; none only if there are none.
     */
    public List<Entry> read(long afterSeq, int limit) throws IOException {
        return shared.read(afterSeq, limit);
    }

    /** The first message after this number, now or when it comes; empty if none came in time. */
    public Optional<Entry> await(long afterSeq, Duration timeout)
            throws IOException, InterruptedException {
        return shared.await(afterSeq, timeout);
    }

    /** The number of the last message with this id; honest repeats share one. */
    public OptionalLong lastWithId(String id) throws IOException {
        return shared.lastWithId(id);
    }

    public Status status() throws IOException {
        return shared.status();
    }

    /** Up to which number this peer has acknowledged; kept on disk. */
    public long acked(PeerName peer) throws IOException {
        return shared.acked(peer);
    }

    /** Acknowledges for this peer, and tells what is acknowledged now: it never goes back. */
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
