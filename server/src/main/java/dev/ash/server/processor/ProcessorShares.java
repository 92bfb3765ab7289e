package dev.ash.server.processor;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Limits the concurrent CPU-bound requests of each tenant to the number of processors, or to half
 * of it while another tenant is active. Without this limit, the many threads of one tenant would
 * displace the few threads of others. Requests of one tenant are admitted in FIFO order; a request
 * that waits for a client, memory or an event releases its share.
 */
public final class ProcessorShares {
    private static final ScopedValue<Share> CURRENT = ScopedValue.newInstance();
    private static final ProcessorShares PROCESS =
            new ProcessorShares(Runtime.getRuntime().availableProcessors(), System::nanoTime);

    /** How long a tenant counts as active after its last request. */
    static final long ACTIVE_NANOS = 2_000_000_000L;

    private final int processors;
    private final LongSupplier clock;
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<String, Tenant> computing = new HashMap<>(); // guarded by the lock
    private volatile @Nullable Use last;
    private volatile @Nullable Use lastOther; // of a tenant other than the last one

    ProcessorShares(int processors, LongSupplier clock) {
        this.processors = processors;
        this.clock = clock;
    }

    /** Returns the shares of this process: all requests compete for the same processors. */
    public static ProcessorShares ofProcess() {
        return PROCESS;
    }

    private record Use(String tenant, long nanos) {}

    private static final class Tenant {
        private final ArrayDeque<Condition> waiting = new ArrayDeque<>();
        private int running;
    }

    /** The share of one request, released while the request waits. Confined to one thread. */
    private final class Share {
        private final String tenant;
        private boolean isHeld;

        private Share(String tenant) {
            this.tenant = tenant;
        }

        private void acquire() {
            enter(tenant);
            isHeld = true;
        }

        private boolean release() {
            if (!isHeld) {
                return false;
            }
            isHeld = false;
            leave(tenant);
            return true;
        }
    }

    /** Records a request of a tenant, CPU-bound or not. */
    public void recordActivity(String tenant) {
        var now = new Use(tenant, clock.getAsLong());
        var before = last;
        if (before != null && !before.tenant().equals(tenant)) {
            lastOther = before;
        }
        last = now;
    }

    /** Runs CPU-bound work, after waiting for a share of the tenant. */
    public <T, X extends Throwable> T compute(
            String tenant, ScopedValue.CallableOp<? extends T, X> work) throws X {
        var share = CURRENT.isBound() ? CURRENT.get() : null;
        if (share != null && share.isHeld) {
            return work.call();
        }
        var acquired = share == null ? new Share(tenant) : share;
        acquired.acquire();
        try {
            return share == null ? ScopedValue.where(CURRENT, acquired).call(work) : work.call();
        } finally {
            acquired.release();
        }
    }

    /** Runs a blocking wait, and releases the share of the request in the meantime. */
    public static <T, X extends Throwable> T await(ScopedValue.CallableOp<? extends T, X> wait)
            throws X {
        if (!CURRENT.isBound() || !CURRENT.get().release()) {
            return wait.call();
        }
        try {
            return wait.call();
        } finally {
            CURRENT.get().acquire();
        }
    }

    /** Releases the share for the rest of the request, which mostly waits. */
    public static void release() {
        if (CURRENT.isBound()) {
            CURRENT.get().release();
        }
    }

    private void enter(String name) {
        lock.lock();
        try {
            var tenant = computing.computeIfAbsent(name, _ -> new Tenant());
            if (tenant.waiting.isEmpty() && tenant.running < limit(name)) {
                tenant.running++;
                return;
            }
            var admitted = lock.newCondition();
            tenant.waiting.add(admitted);
            while (tenant.waiting.contains(admitted)) {
                admitted.awaitUninterruptibly();
            }
        } finally {
            lock.unlock();
        }
    }

    private void leave(String name) {
        lock.lock();
        try {
            var tenant = computing.get(name);
            if (tenant == null) {
                throw new IllegalStateException("No share of this tenant is in use");
            }
            tenant.running--;
            int limit = limit(name);
            while (tenant.running < limit && !tenant.waiting.isEmpty()) {
                tenant.running++; // on behalf of the waiter, so that no other request overtakes it
                tenant.waiting.remove().signal();
            }
            if (tenant.running == 0) {
                computing.remove(name);
            }
        } finally {
            lock.unlock();
        }
    }

    private int limit(String tenant) {
        var recent = last;
        var other = recent != null && !recent.tenant().equals(tenant) ? recent : lastOther;
        boolean isShared =
                other != null
                        && !other.tenant().equals(tenant)
                        && clock.getAsLong() - other.nanos() < ACTIVE_NANOS;
        return isShared ? Math.max(1, processors / 2) : processors;
    }
}
