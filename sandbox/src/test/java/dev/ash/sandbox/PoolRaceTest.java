package dev.ash.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.protocol.AgentName;
import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.SandboxId;
import dev.ash.protocol.TenantId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.ReentrantLock;
import org.awaitility.Awaitility;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Concurrent operations on a pool, with sandboxes without processes. */
class PoolRaceTest {
    private static final int CAPACITY = 8;
    private static final int THREADS = 20;
    private static final int STEPS = 10;
    private static final TenantId TENANT = TenantId.DEFAULT;
    private static final WarmKey KEY = WarmPoolTest.key(TENANT, new AgentName("test"), 1, "demo");

    private final FakeHost host = new FakeHost();
    private final FakeStore store = new FakeStore();
    private final Map<SandboxId, Owner> owners = new ConcurrentHashMap<>();
    private final Queue<String> violations = new ConcurrentLinkedQueue<>();
    private final Set<SandboxId> crashed = ConcurrentHashMap.newKeySet();
    private SandboxPool pool;

    /** A session's view of its sandbox. */
    private final class Owner {
        private final Sandbox sandbox;
        private final ReentrantLock lock = new ReentrantLock();
        private boolean running;
        private boolean released;

        private Owner(Sandbox sandbox) {
            this.sandbox = sandbox;
        }

        private void turn(Random random) {
            lock.lock();
            try {
                if (released) {
                    return;
                }
                running = true;
                pool.markRunning(sandbox.id());
            } finally {
                lock.unlock();
            }
            for (int i = random.nextInt(20); i > 0; i--) {
                Thread.yield();
            }
            lock.lock();
            try {
                if (!sandbox.isAlive() && !crashed.contains(sandbox.id())) {
                    violations.add("terminated in a turn: " + sandbox.id());
                }
                running = false;
                pool.markWaiting(sandbox.id());
            } finally {
                lock.unlock();
            }
        }

        private boolean tryToRelease() {
            if (!lock.tryLock()) {
                return false;
            }
            try {
                released |= !running;
                return !running;
            } finally {
                lock.unlock();
            }
        }

        private void terminate(boolean withFiles) {
            lock.lock();
            try {
                released = true;
            } finally {
                lock.unlock();
            }
            if (withFiles) {
                pool.discard(sandbox.id());
            } else {
                pool.terminate(sandbox.id());
            }
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void respectsCapacityKeepsRunningSandboxesAndLeavesNothing(long seed)
            throws InterruptedException {
        var failures = new Random(seed);
        host.fails = () -> failures.nextInt(10) == 0;
        pool = new SandboxPool(host, CAPACITY, store, Duration.ofMillis(1));
        pool.keepWarm(KEY, Map.of(), 2);
        var threads = new ArrayList<Thread>();
        for (int i = 0; i < THREADS; i++) {
            var random = new Random(seed * 1000 + i);
            threads.add(Thread.ofVirtual().start(() -> session(random)));
        }
        for (var thread : threads) {
            thread.join();
        }

        assertThat(violations).isEmpty();
        assertThat(host.maxCount.get()).isBetween(2, CAPACITY);
        assertThat(pool.stats().running()).isZero();
        owners.values().forEach(owner -> owner.terminate(true));
        host.fails = () -> false;
        pool.keepWarm(KEY, Map.of(), 0);
        Awaitility.await() // the files of discarded sandboxes are removed in the background
                .atMost(Duration.ofMinutes(1))
                .until(() -> pool.stats().total() == 0 && store.rows.isEmpty());
        assertThat(host.count).hasValue(0);
        assertThat(host.files).isEmpty();
        for (int i = 0; i < CAPACITY; i++) { // the whole capacity is available again
            pool.open(TENANT, WarmPoolTest.spec(SandboxId.random()), this::evict);
        }
        pool.close();
        assertThat(host.count).hasValue(0);
    }

    private boolean evict(SandboxId id) {
        return owners.containsKey(id) && owners.get(id).tryToRelease();
    }

    private Sandbox start(boolean claim) {
        if (claim) {
            var claimed = store.claim(pool, KEY);
            if (claimed.isPresent()) {
                return claimed.get();
            }
        }
        var id = SandboxId.random();
        try {
            return pool.open(TENANT, WarmPoolTest.spec(id), this::evict);
        } catch (ApiException e) {
            pool.discard(id); // a session that did not start keeps its files until it is deleted
            throw e;
        }
    }

    /** Crashes any sandbox, possibly a warm one. */
    private void crashOne() {
        var living = host.living.keySet().iterator();
        if (living.hasNext()) {
            var id = living.next();
            crashed.add(id);
            host.terminate(id);
        }
    }

    private void session(Random random) {
        List<Owner> mine = new ArrayList<>();
        for (int i = 0; i < STEPS; i++) {
            int step = random.nextInt(10);
            try {
                if (mine.isEmpty() || step < 3) {
                    var sandbox = start(random.nextBoolean());
                    var owner = new Owner(sandbox);
                    owners.put(sandbox.id(), owner);
                    mine.add(owner);
                } else if (step == 3) {
                    crashOne();
                } else if (step < 8) {
                    mine.get(random.nextInt(mine.size())).turn(random);
                } else {
                    mine.remove(random.nextInt(mine.size())).terminate(step == 8);
                }
            } catch (ApiException e) {
                if (e.code() != ErrorCode.CAPACITY_REACHED
                        && !e.message().contains("injected failure")
                        && !e.message().contains("The fake sandbox exited")) { // while it started
                    violations.add(e.toString());
                }
            } catch (RuntimeException e) {
                violations.add(e.toString());
            }
        }
    }
}
