package dev.ash.server.processor;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Bounds in how many requests one tenant computes at the same time: in as many as there are
 * processors, or in half as many while another tenant is active. Without it a tenant with many
 * requests would have as many threads that compete with the few of the others. Requests of one
 * tenant are admitted in their order; a request that waits for a client, for memory or for an event
 * lets the next one in.
 */
public final class ProcessorShares {
    private static final ScopedValue<Share> CURRENT = ScopedValue.newInstance();
    private static final ProcessorShares PROCESS =
            new ProcessorShares(Runtime.getRuntime().availableProcessors(), System::nanoTime);

    /** So long after its last request a tenant counts as active. */
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

    /** The one of this process: all requests compete for the same processors. */
    public static ProcessorShares ofProcess() {
        return PROCESS;
    }

    private record Use(String tenant, long nanos) {}

    private static final class Tenant {
        private final ArrayDeque<Condition> waiting = new ArrayDeque<>();
        private int running;
    }

    /** What one request has or, while it waits, does not have. For one thread. */
    private final class Share {
        private final String tenant;
        private boolean isHeld;

        private Share(String tenant) {
            this.tenant = tenant;
        }

        private void take() {
            enter(tenant);
            isHeld = true;
        }

        private boolean giveBack() {
            if (!isHeld) {
                return false;
            }
            isHeld = false;
            leave(tenant);
            return true;
        }
    }

    /** Records that a tenant is active, whether or not its request computes much. */
    public void active(String tenant) {
        var now = new Use(tenant, clock.getAsLong());
        var before = last;
        if (before != null && !before.tenant().equals(tenant)) {
            lastOther = before;
        }
        last = now;
    }

    /** Runs the work once the tenant may compute in another request. */
    public <T, X extends Throwable> T compute(
            String tenant, ScopedValue.CallableOp<? extends T, X> work) throws X {
        var share = CURRENT.isBound() ? CURRENT.get() : null;
        if (share != null && share.isHeld) {
            return work.call();
        }
        var taken = share == null ? new Share(tenant) : share;
        taken.take();
        try {
            return share == null ? ScopedValue.where(CURRENT, taken).call(work) : work.call();
        } finally {
            taken.giveBack();
        }
    }

    /** Runs what waits rather than computes, and lets another request compute meanwhile. */
    public static <T, X extends Throwable> T await(ScopedValue.CallableOp<? extends T, X> wait)
            throws X {
        if (!CURRENT.isBound() || !CURRENT.get().giveBack()) {
            return wait.call();
        }
        try {
            return wait.call();
        } finally {
            CURRENT.get().take();
        }
    }

    /** The rest of the request mostly waits: it is not counted any more. */
    public static void release() {
        if (CURRENT.isBound()) {
            CURRENT.get().giveBack();
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
            var turn = lock.newCondition();
            tenant.waiting.add(turn);
            while (tenant.waiting.contains(turn)) {
                turn.awaitUninterruptibly();
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
                throw new IllegalStateException("Nothing of this tenant computes");
            }
            tenant.running--;
            int limit = limit(name);
            while (tenant.running < limit && !tenant.waiting.isEmpty()) {
                tenant.running++; // for the one that waits, so that nobody overtakes it
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
