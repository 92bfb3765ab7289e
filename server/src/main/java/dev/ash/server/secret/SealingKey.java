package dev.ash.server.secret;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.SandboxId;
import dev.ash.protocol.rest.SecretApi;
import dev.ash.server.store.Database;
import dev.ash.server.store.KeyRing;
import dev.ash.server.store.KillPoint;
import dev.ash.server.store.Sealer;
import dev.ash.server.store.Timestamps;
import java.io.IOException;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Rotates the sealing key and the token key.
 *
 * <p>The new keys are added to the key file and used immediately. A thread then encrypts all values
 * again, cleans the database files and removes the old sealing keys. The key file is the only state
 * of a rotation: while it contains two sealing keys, the rotation is incomplete, and this or a
 * later process resumes it.
 */
public final class SealingKey implements RotatableSecret, AutoCloseable {
    private static final System.Logger LOG = System.getLogger("ash.secret");
    private static final Duration RESPONSE_TIMEOUT = Duration.ofSeconds(15);
    private static final long CHECK_MILLIS = 30_000;
    private static final int MAX_PREVIOUS = 8;
    private static final String NOT_REWRITTEN =
            "The database is too large to be rewritten while the server runs: values encrypted with the"
                    + " previous key can remain in unused parts of its pages until you stop the server"
                    + " and run VACUUM on ash.db";

    private final Sealer sealer;
    private final SealedValueStore values;
    private final SecureRandom random;
    private final Clock clock;
    private final Resealing resealing;
    private final PreviousTokenKeys previousTokens;
    private final Semaphore work = new Semaphore(0);
    private final List<KeyChange> listeners = new CopyOnWriteArrayList<>();

    // Guarded by this object's lock.
    private @Nullable String failure;
    private @Nullable String warning; // of the latest rotation of this process
    private @Nullable Thread thread;
    private boolean closed;

    /** Encrypts other data again, with a key derived from the new one. */
    public interface KeyChange {
        /** Can be called again after a failure. */
        void keysChanged() throws IOException;
    }

    /**
     * {@code isRunning} returns whether a sandbox runs, including adopted ones. Create this object
     * before sandboxes are launched or adopted.
     */
    public SealingKey(
            Sealer sealer,
            Database database,
            SecureRandom random,
            Clock clock,
            Predicate<SandboxId> isRunning) {
        this(
                sealer,
                new SealedValueStore(database, sealer, SealedValueStore.MAX_REWRITTEN_BYTES),
                random,
                clock,
                isRunning);
    }

    SealingKey(
            Sealer sealer,
            SealedValueStore values,
            SecureRandom random,
            Clock clock,
            Predicate<SandboxId> isRunning) {
        this.sealer = sealer;
        this.values = values;
        this.random = random;
        this.clock = clock;
        this.resealing = new Resealing(values);
        this.previousTokens = new PreviousTokenKeys(sealer, values, clock, isRunning);
    }

    /** Adds a listener that runs in each rotation before old keys are removed. */
    public void onKeyChange(KeyChange listener) {
        listeners.add(listener);
    }

    /** Resumes an interrupted rotation. Call after the adoption of sandboxes. */
    public synchronized void start() {
        if (thread == null) {
            thread = Thread.ofVirtual().name("sealing-key").start(this::run);
        }
    }

    @Override
    public String name() {
        return "sealing-key";
    }

    /** Returns when all values are encrypted again, or after a timeout; see {@link #status}. */
    @Override
    public synchronized void rotate(Duration overlap) throws IOException, InterruptedException {
        addKeys(overlap);
        work.release();
        long end = System.nanoTime() + RESPONSE_TIMEOUT.toNanos();
        while (isIncomplete() && failure == null && !closed) {
            long remaining = (end - System.nanoTime()) / 1_000_000;
            if (remaining <= 0) {
                return;
            }
            wait(remaining);
        }
    }

    /** The first step of a rotation. */
    synchronized void addKeys(Duration overlap) throws IOException {
        if (isIncomplete()) {
            throw rejected(
                    "The previous rotation of the sealing key is incomplete; check it with"
                            + " `ash secrets status` and retry after its completion");
        }
        if (sealer.ring().previousTokens().size() >= MAX_PREVIOUS) {
            throw rejected(
                    "Sandboxes or mailbox tokens still depend on %d previous keys; stop the longest running sessions, or revoke the tokens with `ash secrets revoke-previous`"
                            .formatted(MAX_PREVIOUS));
        }
        long now = clock.millis();
        sealer.update(ring -> ring.rotated(random, now, now + overlap.toMillis()));
        resealing.reset();
        failure = null;
        KillPoint.SECRET_KEY_ADDED.reached();
        LOG.log(
                System.Logger.Level.INFO,
                "Rotating the sealing key; the new one is {0}",
                sealer.ring().current().id());
    }

    private static ApiException rejected(String message) {
        return new ApiException(ErrorCode.ROTATION_REFUSED, message);
    }

    private boolean isIncomplete() {
        return sealer.ring().sealing().size() > 1;
    }

    private void run() {
        while (true) {
            try {
                finish();
                failed(null);
            } catch (IOException | RuntimeException e) {
                failed(e);
            }
            try {
                if (!awaitWork()) {
                    return;
                }
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    private synchronized void failed(@Nullable Exception e) {
        failure = e == null ? null : String.valueOf(e.getMessage());
        if (e != null && !closed) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "The rotation is incomplete and will be retried",
                    e);
        }
        notifyAll();
    }

    /** Returns false when closed. */
    private boolean awaitWork() throws InterruptedException {
        if (isIncomplete() || !sealer.ring().previousTokens().isEmpty() || sealer.hasDropped()) {
            if (!work.tryAcquire(CHECK_MILLIS, TimeUnit.MILLISECONDS)) {
                sealer.discardDropped(); // no query that read an old value is still running
            }
        } else {
            work.acquire();
        }
        work.drainPermits();
        return !isClosed();
    }

    private synchronized boolean isClosed() {
        return closed;
    }

    /** Runs the remaining steps of a rotation, each of which can be repeated. */
    void finish() throws IOException {
        if (isIncomplete()) {
            values.awaitWriter();
            for (var listener : listeners) {
                listener.keysChanged();
            }
            if (!resealing.run(this::isClosed)) {
                return;
            }
            KillPoint.SECRET_RESEALED.reached();
            var cleaning = values.cleanFiles();
            if (!cleaning.logTruncated()) {
                throw new IOException("a reader prevents the truncation of the write-ahead log");
            }
            KillPoint.SECRET_FILES_CLEANED.reached();
            long replacedAt = Math.max(clock.millis(), values.lastLaunch());
            sealer.update(ring -> ring.resealed(replacedAt));
            KillPoint.SECRET_KEY_DROPPED.reached();
            completed(cleaning);
        }
        previousTokens.removeUnneeded();
    }

    private synchronized void completed(Database.Cleaning cleaning) {
        warning = cleaning.rewritten() ? null : NOT_REWRITTEN;
        LOG.log(
                System.Logger.Level.INFO,
                "All values are encrypted with the key {0}. {1}",
                sealer.ring().current().id(),
                cleaning.rewritten() ? "" : NOT_REWRITTEN);
    }

    @Override
    public void revokePrevious() throws IOException {
        if (sealer.ring().previousTokens().isEmpty()) {
            return;
        }
        previousTokens.revoke();
        if (!isIncomplete()) {
            previousTokens.removeUnneeded();
        }
    }

    @Override
    public synchronized SecretApi.Secret status() {
        var ring = sealer.ring();
        long until = previousTokens.acceptedUntil();
        var state =
                ring.sealing().size() > 1
                        ? SecretApi.ROTATING
                        : ring.previousTokens().isEmpty() ? SecretApi.CURRENT : SecretApi.OVERLAP;
        return new SecretApi.Secret(
                name(),
                ring.current().id(),
                Timestamps.iso(ring.current().createdAt()),
                state,
                until == 0 ? null : Timestamps.iso(until),
                note(ring, state),
                resealing.progress());
    }

    private @Nullable String note(KeyRing ring, String state) {
        return switch (state) {
            case SecretApi.ROTATING ->
                    failure == null
                            ? "Values are being encrypted again; the previous key is still in use"
                            : "Incomplete, retried in the background: " + failure;
            case SecretApi.OVERLAP ->
                    "Stored values use the current key only. %d previous token keys are retained for mailbox tokens and running sandboxes%s"
                            .formatted(
                                    ring.previousTokens().size(),
                                    warning == null ? "" : ". " + warning);
            default -> warning;
        };
    }

    /** Waits for the current step; a later process completes the rotation. */
    @Override
    public void close() {
        Thread running;
        synchronized (this) {
            closed = true;
            notifyAll();
            running = thread;
        }
        work.release();
        try {
            if (running != null) {
                running.join();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
