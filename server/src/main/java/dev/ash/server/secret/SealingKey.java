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
 * <p>The new keys are written to the key file beside the old ones and used from then on. One thread
 * then seals every value again, cleans the database files and drops the old sealing keys. The key
 * file alone says how far a rotation is: while it holds two sealing keys, the rotation is not
 * finished, and the thread of this or of a later process continues it.
 */
public final class SealingKey implements RotatableSecret, AutoCloseable {
    private static final System.Logger LOG = System.getLogger("ash.secret");
    private static final Duration ANSWER_WITHIN = Duration.ofSeconds(15);
    private static final long CHECK_MILLIS = 30_000;
    private static final int MAX_PREVIOUS = 8;
    private static final String REMAINS =
            "The database is too large to be rewritten while the server runs: values sealed with the"
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
    private @Nullable String remains; // of the latest rotation of this process
    private @Nullable Thread thread;
    private boolean closed;

    /** Encrypts something else than a sealed value again, under a key derived from the new one. */
    public interface KeyChange {
        /** May be called again after a failure. */
        void keysChanged() throws IOException;
    }

    /**
     * {@code isRunning} tells whether a sandbox, adopted ones included, runs. Open this before
     * sandboxes are launched or adopted.
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

    /** Called after each rotation, before old keys are dropped. */
    public void onKeyChange(KeyChange listener) {
        listeners.add(listener);
    }

    /**
     * Continues a rotation that a crash interrupted. Start this after the adoption of sandboxes.
     */
    public synchronized void start() {
        if (thread == null) {
            thread = Thread.ofVirtual().name("sealing-key").start(this::run);
        }
    }

    @Override
    public String name() {
        return "sealing-key";
    }

    /** Returns when all values are sealed again, or after a while: {@link #status} says which. */
    @Override
    public synchronized void rotate(Duration overlap) throws IOException, InterruptedException {
        addKeys(overlap);
        work.release();
        long end = System.nanoTime() + ANSWER_WITHIN.toNanos();
        while (isUnfinished() && failure == null && !closed) {
            long left = (end - System.nanoTime()) / 1_000_000;
            if (left <= 0) {
                return;
            }
            wait(left);
        }
    }

    /** The first step of a rotation. */
    synchronized void addKeys(Duration overlap) throws IOException {
        if (isUnfinished()) {
            throw refusal(
                    "The previous rotation of the sealing key has not finished; check it with"
                            + " `ash secrets status` and retry when it has");
        }
        if (sealer.ring().previousTokens().size() >= MAX_PREVIOUS) {
            throw refusal(
                    "Sandboxes or mailbox tokens still depend on %d previous keys; stop the sessions that run longest, or revoke the tokens with `ash secrets revoke-previous`"
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

    private static ApiException refusal(String sentence) {
        return new ApiException(ErrorCode.ROTATION_REFUSED, sentence);
    }

    private boolean isUnfinished() {
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
            LOG.log(System.Logger.Level.WARNING, "The rotation is not finished; it is retried", e);
        }
        notifyAll();
    }

    /** False when this is closed. */
    private boolean awaitWork() throws InterruptedException {
        if (isUnfinished() || !sealer.ring().previousTokens().isEmpty() || sealer.hasDropped()) {
            if (!work.tryAcquire(CHECK_MILLIS, TimeUnit.MILLISECONDS)) {
                sealer.forgetDropped(); // no query that read an old value is still running
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

    /** The remaining steps of a rotation, each of which may be repeated. */
    void finish() throws IOException {
        if (isUnfinished()) {
            values.awaitWriter();
            for (var listener : listeners) {
                listener.keysChanged();
            }
            if (!resealing.run(this::isClosed)) {
                return;
            }
            KillPoint.SECRET_RESEALED.reached();
            var cleaning = values.cleanFiles();
            if (!cleaning.logEmptied()) {
                throw new IOException("a reader keeps the write-ahead log from being emptied");
            }
            KillPoint.SECRET_FILES_CLEANED.reached();
            long replacedAt = Math.max(clock.millis(), values.lastLaunch());
            sealer.update(ring -> ring.resealed(replacedAt));
            KillPoint.SECRET_KEY_DROPPED.reached();
            finished(cleaning);
        }
        previousTokens.dropUnneeded();
    }

    private synchronized void finished(Database.Cleaning cleaning) {
        remains = cleaning.rewritten() ? null : REMAINS;
        LOG.log(
                System.Logger.Level.INFO,
                "All values are sealed with the key {0}. {1}",
                sealer.ring().current().id(),
                cleaning.rewritten() ? "" : REMAINS);
    }

    @Override
    public void revokePrevious() throws IOException {
        if (sealer.ring().previousTokens().isEmpty()) {
            return;
        }
        previousTokens.revoke();
        if (!isUnfinished()) {
            previousTokens.dropUnneeded();
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
                            ? "Values are being sealed again; the previous key is still readable"
                            : "Not finished, retried in the background: " + failure;
            case SecretApi.OVERLAP ->
                    "Sealed values use the current key only. %d previous token keys are kept for mailbox tokens and running sandboxes%s"
                            .formatted(
                                    ring.previousTokens().size(),
                                    remains == null ? "" : ". " + remains);
            default -> remains;
        };
    }

    /** Waits for the step that is under way; a later process does the others. */
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
