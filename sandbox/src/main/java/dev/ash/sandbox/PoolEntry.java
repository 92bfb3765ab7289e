package dev.ash.sandbox;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.SandboxId;
import dev.ash.protocol.TenantId;
import dev.ash.sandbox.launch.Latches;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A sandbox in the pool, from before its launch until after its exit. Its monitor guards its state;
 * state changes are stored under it, so that they are stored in order.
 */
final class PoolEntry {
    private static final Duration TIMEOUT = Duration.ofSeconds(30);
    private static final Logger LOG = System.getLogger(PoolEntry.class.getName());

    final SandboxId id;
    final TenantId tenant;
    private final @Nullable WarmKey key;
    private final SandboxStore store;
    private final LongSupplier uses;
    private final CountDownLatch released = new CountDownLatch(1);
    private volatile SandboxState state = SandboxState.WARMING;
    private volatile long lastUse;
    private volatile @Nullable Sandbox sandbox;
    private boolean dismissed;

    /**
     * Whether it counts against the capacity. This and the fields below are guarded by {@link
     * PoolEntries}.
     */
    boolean admitted;

    boolean claimed;

    /** Whether a session is about to claim it; it already counts against the tenant's limit. */
    boolean beingClaimed;

    /** Whether a thread is about to claim or terminate it; other threads must not. */
    boolean reserved;

    boolean hasFiles;

    /** The entry that gets the capacity of this one when it exits. */
    @Nullable PoolEntry successor;

    /**
     * Creates an entry; {@code key} is present for a warm sandbox and null for one that a session
     * opens.
     */
    PoolEntry(
            SandboxId id,
            TenantId tenant,
            @Nullable WarmKey key,
            SandboxStore store,
            LongSupplier uses) {
        this.id = id;
        this.tenant = tenant;
        this.key = key;
        this.store = store;
        this.uses = uses;
        this.lastUse = uses.getAsLong();
    }

    @Nullable WarmKey key() {
        return key;
    }

    /** Whether a session has it or is about to claim it; false for an unclaimed warm sandbox. */
    boolean belongsToSession() {
        return key == null || claimed || beingClaimed;
    }

    SandboxState state() {
        return state;
    }

    /** Returns the sequence number of the last use; larger is more recent. */
    long lastUse() {
        return lastUse;
    }

    @Nullable Sandbox sandbox() {
        return sandbox;
    }

    /** Marks the sandbox as started. Returns false if it has exited meanwhile or was dismissed. */
    synchronized boolean markStarted(Sandbox started, SandboxState next) {
        sandbox = started;
        if (dismissed) {
            return false;
        }
        setState(next);
        return state != SandboxState.COLD;
    }

    synchronized void setState(SandboxState next) {
        if (!dismissed && state != SandboxState.COLD && state != next) {
            state = next;
            lastUse = uses.getAsLong();
            store.updateState(id, next);
        }
    }

    /** Requests termination, whether the sandbox runs or is about to be launched. */
    synchronized void dismiss() {
        dismissed = true;
    }

    synchronized boolean isDismissed() {
        return dismissed;
    }

    void requireNotDismissed() {
        if (isDismissed()) {
            throw new ApiException(
                    ErrorCode.SANDBOX_FAILED, "The sandbox was terminated while it started.");
        }
    }

    /** Dismisses the sandbox unless a turn runs in it; returns whether it was dismissed. */
    synchronized boolean dismissUnlessRunning() {
        if (state == SandboxState.RUNNING) {
            return false;
        }
        dismissed = true;
        return true;
    }

    /** Marks the sandbox as exited. Returns true for the first call only. */
    synchronized boolean markExited() {
        if (state == SandboxState.COLD) {
            return false;
        }
        state = SandboxState.COLD;
        try {
            store.updateState(id, SandboxState.COLD);
        } catch (RuntimeException e) { // its capacity must be returned in any case
            LOG.log(Level.ERROR, "Cannot store that sandbox " + id + " has exited", e);
        }
        return true;
    }

    void markReleased() {
        released.countDown();
    }

    boolean awaitReleased() {
        return Latches.awaitUninterruptibly(released, TIMEOUT);
    }
}
