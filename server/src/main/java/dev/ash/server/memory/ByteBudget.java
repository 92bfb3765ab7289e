package dev.ash.server.memory;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A budget of bytes in memory. One owner (a tenant) can hold at most half of it, so that no owner
 * can block the others. Requests of one owner are granted in FIFO order. While the whole budget is
 * short, no request overtakes the longest waiting one, so that small requests cannot starve a large
 * one.
 */
public final class ByteBudget {
    private static final String RETRY = "try again in a few seconds";

    private final String purpose;
    private final String ownRemedy;
    private final long capacity;
    private final long share;
    private final ReentrantLock lock = new ReentrantLock();
    private final List<Waiter> waiting =
            new ArrayList<>(); // guarded by the lock, like held and free
    private final Map<String, Long> held = new HashMap<>();
    private long free;

    /** {@code purpose} completes the error message "The server has no memory left for …". */
    public ByteBudget(String purpose, long capacity) {
        this(purpose, RETRY, capacity);
    }

    /** {@code ownRemedy} is the advice to an owner that holds memory of this budget itself. */
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

    /** Bytes held by an owner. {@link #close} releases them and is idempotent. */
    public final class Lease implements AutoCloseable {
        private final String owner;
        private long bytes; // guarded by the lock

        private Lease(String owner, long bytes) {
            this.owner = owner;
            this.bytes = bytes;
        }

        /** Releases the bytes above {@code needed}. */
        public void shrinkTo(long needed) {
            lock.lock();
            try {
                if (needed < bytes) {
                    release(owner, bytes - needed);
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

    /** Returns the maximum of one owner; larger requests are reduced to it. */
    public long share() {
        return share;
    }

    /** Waits for the bytes; after {@code wait} fails with {@link ErrorCode#CAPACITY_REACHED}. */
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

    /** Returns the bytes if they are available now and no other request waits for them. */
    public Optional<Lease> tryAcquire(String owner, long bytes) {
        lock.lock();
        try {
            if (!waiting.isEmpty() || !fits(owner, bytes)) {
                return Optional.empty();
            }
            grant(owner, bytes);
            return Optional.of(new Lease(owner, bytes));
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
                release(waiter.owner, waiter.bytes);
            }
            throw e;
        } finally {
            if (waiting.remove(waiter)) {
                grantWaiting(); // it may have blocked the requests behind it
            }
        }
    }

    private ApiException exhausted(String owner) {
        boolean own = heldBy(owner) > 0;
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
            if (heldBy(next.owner) + next.bytes > share) {
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
        return bytes <= free && heldBy(owner) + bytes <= share;
    }

    private void grant(String owner, long bytes) {
        free -= bytes;
        held.merge(owner, bytes, Long::sum);
    }

    private long heldBy(String owner) {
        return held.getOrDefault(owner, 0L);
    }

    private void release(String owner, long bytes) {
        free += bytes;
        held.merge(owner, -bytes, Long::sum);
        held.remove(owner, 0L);
        grantWaiting();
    }

    /** Returns the free bytes. */
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
