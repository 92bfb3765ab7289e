package dev.ash.sandbox;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.SandboxId;
import dev.ash.sandbox.launch.Latches;
import dev.ash.sandbox.launch.SandboxProcess;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Collection;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/**
 * Grants exclusive use of a sandbox's directories: to a launch, the running sandbox, or its
 * removal. Keyed by the short id, which names the directory of the socket.
 */
final class LaunchSlots {
    private static final Logger LOG = System.getLogger(LaunchSlots.class.getName());
    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    private final ConcurrentHashMap<String, Slot> slots = new ConcurrentHashMap<>();
    private volatile boolean closed;

    Slot acquire(SandboxId id) {
        var slot = new Slot(id);
        var other = slots.putIfAbsent(id.shortId(), slot);
        if (other != null) {
            throw new ApiException(
                    ErrorCode.SESSION_BUSY,
                    other.id.equals(id)
                            ? "Sandbox %s is already running, starting or being removed."
                                    .formatted(id)
                            : "Sandbox %s cannot run while %s runs, which has the same short id."
                                    .formatted(id, other.id));
        }
        if (closed) {
            slot.release();
            throw new ApiException(
                    ErrorCode.SHUTTING_DOWN,
                    "The server is shutting down and starts no sandboxes.");
        }
        return slot;
    }

    Optional<Slot> find(SandboxId id) {
        return Optional.ofNullable(slots.get(id.shortId())).filter(slot -> slot.id.equals(id));
    }

    /** Grants no more slots, and terminates the holders of the granted ones. */
    void close() {
        closed = true;
        terminateAll(slots.values());
    }

    void terminate(Collection<SandboxId> ids) {
        terminateAll(ids.stream().flatMap(id -> find(id).stream()).toList());
    }

    /** Terminates concurrently, as each takes several milliseconds. */
    private static void terminateAll(Collection<Slot> acquired) {
        var threads =
                acquired.stream()
                        .map(slot -> Thread.ofVirtual().start(slot::tryToTerminate))
                        .toList();
        for (var thread : threads) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** The exclusive use of one sandbox's directories. */
    final class Slot {
        private final SandboxId id;
        private final CountDownLatch released = new CountDownLatch(1);
        private @Nullable SandboxProcess process;
        private boolean canceled;

        private Slot(SandboxId id) {
            this.id = id;
        }

        /** Sets the started process; returns false if the launch was canceled. */
        synchronized boolean setProcess(SandboxProcess started) {
            process = started;
            return !canceled;
        }

        /** Kills the process, or cancels the launch, and waits until the slot is released. */
        void terminate() {
            var running = cancel();
            if (running != null) {
                running.kill();
            }
            if (!Latches.awaitUninterruptibly(released, TIMEOUT)) {
                throw new ApiException(
                        ErrorCode.SANDBOX_FAILED,
                        "Sandbox %s did not terminate within 30 seconds.".formatted(id));
            }
        }

        private void tryToTerminate() {
            try {
                terminate();
            } catch (ApiException e) {
                LOG.log(Level.ERROR, e.message());
            }
        }

        private synchronized @Nullable SandboxProcess cancel() {
            canceled = true;
            return process;
        }

        void release() {
            slots.remove(id.shortId(), this);
            released.countDown();
        }
    }
}
