package dev.ash.server.memory;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Bytes that all holders may have in memory at the same time. One owner (a tenant) holds at most
 * half of them, so that no owner can keep the others from their work. Requests of one owner are
 * granted in their order. Where the bytes of the whole budget are short, nobody overtakes the
 * request that has waited longest, so that a large one is not starved by small ones.
 */
public final class ByteBudget {
    private static final String RETRY = "try again in a few seconds";

    private final String purpose;
    private final String ownRemedy;
    private final long capacity;
    private final long share;
    private final ReentrantLock lock = new ReentrantLock();
    private final List<Waiter> waiting = new ArrayList<>(); // guarded by the lock, as is the rest
    private final Map<String, Long> held = new HashMap<>();
    private long free;

    /** {@code purpose} completes the sentence "The server has no memory left for …". */
    public ByteBudget(String purpose, long capacity) {
        this(purpose, RETRY, capacity);
    }

    /** {@code ownRemedy} says what helps an owner that holds memory of this budget itself. */
    public ByteBudget(String purpose, String ownRemedy, long capacity) {
        if (capacity < 2) {
            throw new IllegalArgumentException("A budget needs at least 2 bytes");
        }
        this.purpose = purpose;
        this.ownRemedy = ownRemedy;
        this.capacity = capacity;
        this.share = capacity / 2;
        this.free = capacity;
    }

    private final class Waiter {
        private final String owner;
        private final long bytes;
        private final Condition granted = lock.newCondition();
        private boolean isGranted;

        private Waiter(String owner, long bytes) {
            this.owner = owner;
            this.bytes = bytes;
        }
    }

    /** Bytes that are held; closing it, once or more often, gives them back. */
    public final class Lease implements AutoCloseable {
        private final String owner;
        private long bytes; // guarded by the lock

        private Lease(String owner, long bytes) {
            this.owner = owner;
            this.bytes = bytes;
        }

        /** Gives back what exceeds these bytes. */
        public void shrinkTo(long needed) {
            lock.lock();
            try {
                if (needed < bytes) {
                    giveBack(owner, bytes - needed);
                    bytes = needed;
                }
            } finally {
                lock.unlock();
            }
        }

        @Override
        public void close() {
            shrinkTo(0);
        }
    }

    /** The most that one owner can hold; a request for more is one for all of it. */
    public long share() {
        return share;
    }

    /**
     * Waits for the bytes. After {@code wait} it gives up with {@link ErrorCode#CAPACITY_REACHED}.
     */
    public Lease acquire(String owner, long bytes, Duration wait) throws InterruptedException {
        long needed = Math.clamp(bytes, 0, share);
        lock.lockInterruptibly();
        try {
            if (waiting.isEmpty() && fits(owner, needed)) {
                grant(owner, needed);
                return new Lease(owner, needed);
            }
            var waiter = new Waiter(owner, needed);
            waiting.add(waiter);
            grantWaiting();
            if (!waiter.isGranted) {
                await(waiter, wait);
            }
            return new Lease(owner, needed);
        } finally {
            lock.unlock();
        }
    }

    private void await(Waiter waiter, Duration wait) throws InterruptedException {
        long nanos = wait.toNanos();
        try {
            while (!waiter.isGranted) {
                if (nanos <= 0) {
                    throw exhausted(waiter.owner);
                }
                nanos = waiter.granted.awaitNanos(nanos);
            }
        } catch (InterruptedException e) {
            if (waiter.isGranted) {
                giveBack(waiter.owner, waiter.bytes);
            }
            throw e;
        } finally {
            if (waiting.remove(waiter)) {
                grantWaiting(); // it may have been the one that nobody could overtake
            }
        }
    }

    private ApiException exhausted(String owner) {
        boolean own = holds(owner) > 0;
        return new ApiException(
                ErrorCode.CAPACITY_REACHED,
                "The server has no memory left for %s%s; %s"
                        .formatted(purpose, own ? " of this tenant" : "", own ? ownRemedy : RETRY));
    }

    private void grantWaiting() {
        var blocked = new HashSet<String>();
        for (var all = waiting.iterator(); all.hasNext(); ) {
            var next = all.next();
            if (blocked.contains(next.owner)) {
                continue;
            }
            if (holds(next.owner) + next.bytes > share) {
                blocked.add(next.owner);
            } else if (next.bytes > free) {
                return;
            } else {
                grant(next.owner, next.bytes);
                next.isGranted = true;
                next.granted.signal();
                all.remove();
            }
        }
    }

    private boolean fits(String owner, long bytes) {
        return bytes <= free && holds(owner) + bytes <= share;
    }

    private void grant(String owner, long bytes) {
        free -= bytes;
        held.merge(owner, bytes, Long::sum);
    }

    private long holds(String owner) {
        return held.getOrDefault(owner, 0L);
    }

    private void giveBack(String owner, long bytes) {
        free += bytes;
        held.merge(owner, -bytes, Long::sum);
        held.remove(owner, 0L);
        grantWaiting();
    }

    /** What nobody holds. */
    public long free() {
        lock.lock();
        try {
            return free;
        } finally {
            lock.unlock();
        }
    }

    public long capacity() {
        return capacity;
    }
}
