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
 * Who is at work on a sandbox's folders: a launch, the running sandbox, or its removal, and never
 * two at once. Keyed by the short id, which names the folder of the socket.
 */
final class LaunchSlots {
    private static final Logger LOG = System.getLogger(LaunchSlots.class.getName());
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final ConcurrentHashMap<String, Slot> slots = new ConcurrentHashMap<>();
    private volatile boolean closed;

    Slot take(SandboxId id) {
        var slot = new Slot(id);
        var other = slots.putIfAbsent(id.shortId(), slot);
        if (other != null) {
            throw new ApiException(
                    ErrorCode.SESSION_BUSY,
                    other.id.equals(id)
                            ? "Sandbox %s is running, starting or being removed already."
                                    .formatted(id)
                            : "Sandbox %s cannot run beside %s, whose short id is the same."
                                    .formatted(id, other.id));
        }
        if (closed) {
            slot.free();
            throw new ApiException(
                    ErrorCode.SHUTTING_DOWN, "The server is shutting down; it starts no sandbox.");
        }
        return slot;
    }

    Optional<Slot> find(SandboxId id) {
        return Optional.ofNullable(slots.get(id.shortId())).filter(slot -> slot.id.equals(id));
    }

    /** Gives no more from now on, and ends those that are taken. */
    void close() {
        closed = true;
        endAll(slots.values());
    }

    void end(Collection<SandboxId> ids) {
        endAll(ids.stream().flatMap(id -> find(id).stream()).toList());
    }

    /** All at once, for each takes some milliseconds. */
    private static void endAll(Collection<Slot> taken) {
        var threads = taken.stream().map(slot -> Thread.ofVirtual().start(slot::tryToEnd)).toList();
        for (var thread : threads) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    final class Slot {
        private final SandboxId id;
        private final CountDownLatch freed = new CountDownLatch(1);
        private @Nullable SandboxProcess process;
        private boolean cancelled;

        private Slot(SandboxId id) {
            this.id = id;
        }

        /** False if the sandbox is not wanted any more. */
        synchronized boolean started(SandboxProcess started) {
            process = started;
            return !cancelled;
        }

        /** Ends what runs, or is about to run, and waits until the slot is free. */
        void end() {
            var running = cancel();
            if (running != null) {
                running.kill();
            }
            if (!Latches.await(freed, PATIENCE)) {
                throw new ApiException(
                        ErrorCode.SANDBOX_FAILED, "Sandbox %s would not end.".formatted(id));
            }
        }

        private void tryToEnd() {
            try {
                end();
            } catch (ApiException e) {
                LOG.log(Level.ERROR, e.message());
            }
        }

        private synchronized @Nullable SandboxProcess cancel() {
            cancelled = true;
            return process;
        }

        void free() {
            slots.remove(id.shortId(), this);
            freed.countDown();
        }
    }
}
