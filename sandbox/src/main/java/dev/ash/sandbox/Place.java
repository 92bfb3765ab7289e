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
 * What takes room: a sandbox from before its launch until after its end. Its own monitor guards its
 * state, and the store is told under it, so that it hears of changes in their order.
 */
final class Place {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Logger LOG = System.getLogger(Place.class.getName());

    final SandboxId id;
    final TenantId tenant;
    private final @Nullable WarmKey key;
    private final SandboxStore store;
    private final LongSupplier uses;
    private final CountDownLatch released = new CountDownLatch(1);
    private volatile SandboxState state = SandboxState.WARMING;
    private volatile long lastUse;
    private volatile @Nullable Sandbox sandbox;
    private boolean unwanted;

    /** The rest belongs to {@link Places} and its monitor. */
    boolean hasRoom;

    boolean claimed;

    /** A session is about to claim it, and it counts as the tenant's already. */
    boolean claiming;

    /** Somebody is about to claim or to end it: nobody else may. */
    boolean held;

    boolean hasFiles;

    /** Who gets the room when this one has ended. */
    @Nullable Place heir;

    /** A key for one that is made to be claimed, none for one that a session opens. */
    Place(
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

    /** Whether a session has it or is about to; not one that is only kept warm. */
    boolean isOfSession() {
        return key == null || claimed || claiming;
    }

    SandboxState state() {
        return state;
    }

    /** Larger for one that was used later. */
    long lastUse() {
        return lastUse;
    }

    @Nullable Sandbox sandbox() {
        return sandbox;
    }

    /** False if the sandbox has ended in the meantime, or is not wanted any more. */
    synchronized boolean settle(Sandbox started, SandboxState next) {
        sandbox = started;
        if (unwanted) {
            return false;
        }
        become(next);
        return state != SandboxState.COLD;
    }

    synchronized void become(SandboxState next) {
        if (!unwanted && state != SandboxState.COLD && state != next) {
            state = next;
            lastUse = uses.getAsLong();
            store.state(id, next);
        }
    }

    /** It is to end, whether it runs or is only about to be launched. */
    synchronized void dismiss() {
        unwanted = true;
    }

    synchronized boolean isDismissed() {
        return unwanted;
    }

    void requireWanted() {
        if (isDismissed()) {
            throw new ApiException(
                    ErrorCode.SANDBOX_FAILED, "The sandbox was ended while it started.");
        }
    }

    /** The same as {@link #dismiss}, unless a turn runs in it. */
    synchronized boolean dismissUnlessRunning() {
        if (state == SandboxState.RUNNING) {
            return false;
        }
        unwanted = true;
        return true;
    }

    /** Nothing of it runs any more. True for the first who says so. */
    synchronized boolean finish() {
        if (state == SandboxState.COLD) {
            return false;
        }
        state = SandboxState.COLD;
        try {
            store.state(id, SandboxState.COLD);
        } catch (RuntimeException e) { // its room must be given back all the same
            LOG.log(Level.ERROR, "The end of sandbox " + id + " could not be noted", e);
        }
        return true;
    }

    void released() {
        released.countDown();
    }

    boolean awaitReleased() {
        return Latches.await(released, PATIENCE);
    }
}
