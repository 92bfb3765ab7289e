package dev.ash.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ash.protocol.AgentName;
import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.SandboxId;
import dev.ash.protocol.SessionId;
import dev.ash.protocol.TenantId;
import dev.ash.protocol.engine.EngineName;
import dev.ash.protocol.rest.ResourceLimits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Warm sandboxes and evictions, without processes. */
class WarmPoolTest {
    private static final TenantId TENANT = TenantId.DEFAULT;
    static final AgentName AGENT = new AgentName("test");
    private static final WarmKey KEY = WarmPoolTest.key(TENANT, AGENT, 1, "demo");

    private final FakeHost host = new FakeHost();
    private final FakeStore store = new FakeStore();
    private final List<SandboxId> asked = new ArrayList<>();
    private SandboxPool pool;

    static SandboxSpec spec(SandboxId id) {
        return new SandboxSpec(
                id,
                SessionId.random(),
                new AgentVersion("1", AGENT, 1),
                Map.of(),
                ResourceLimits.DEFAULT,
                Network.OPEN,
                LaunchIds.random());
    }

    static WarmKey key(TenantId tenant, AgentName agent, int version, String engine) {
        return new WarmKey(
                tenant,
                new AgentVersion("id of " + agent, agent, version),
                new EngineName(engine),
                ResourceLimits.DEFAULT,
                Network.OPEN);
    }

    private void pool(int capacity) {
        pool = new SandboxPool(host, capacity, store, Duration.ofMillis(20));
    }

    @AfterEach
    void close() {
        pool.close();
        assertThat(host.living).isEmpty();
        assertThat(store.findUnused()).isEmpty();
    }

    private volatile Evictor evictor = Evictor.NONE;

    private void onEvict(Evictor next) {
        evictor = next;
    }

    private SandboxId open() {
        return pool.open(TENANT, spec(SandboxId.random()), id -> evictor.evict(id)).id();
    }

    private void keepWarm(WarmKey key, int count) {
        pool.keepWarm(key, Map.of("ASH_ENGINE", "demo"), count);
    }

    private void awaitWarm(int count) {
        Awaitility.await()
                .atMost(Duration.ofSeconds(30))
                .until(() -> pool.stats().warm() == count && pool.stats().warming() == 0);
    }

    private static void assertFull(Runnable open) {
        assertThatThrownBy(open::run)
                .isInstanceOfSatisfying(
                        ApiException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.CAPACITY_REACHED));
    }

    @Test
    void keepsAsManyAsLastBurstNeeded() {
        pool(40);
        keepWarm(KEY, 1);
        awaitWarm(1);

        for (int i = 0; i < 4; i++) {
            store.claim(pool, KEY).or(() -> Optional.of(find(open())));
        }

        awaitWarm(4);
    }

    private Sandbox find(SandboxId id) {
        return pool.find(id).orElseThrow();
    }

    @Test
    void removesDiscardedSandboxInBackground() {
        pool(8);
        var id = open();
        assertThat(host.files).contains(id);

        pool.discard(id);

        assertThat(host.living).doesNotContainKey(id);
        Awaitility.await()
                .atMost(Duration.ofSeconds(30))
                .until(() -> !host.files.contains(id) && !store.rows.containsKey(id));
    }

    @Test
    void claimsWarmSandboxAndStartsAnother() {
        pool(8);
        keepWarm(KEY, 1);
        awaitWarm(1);
        assertThat(store.findUnused()).hasSize(1);

        var sandbox = store.claim(pool, KEY).orElseThrow();

        assertThat(pool.find(sandbox.id())).contains(sandbox);
        awaitWarm(1);
        assertThat(pool.stats().waiting()).isEqualTo(1);
        assertThat(pool.stats().preWarmHits()).isEqualTo(1);
        pool.terminate(sandbox.id());
        assertThat(host.files).contains(sandbox.id()); // it belongs to the session
        assertThat(pool.stats().cold()).isEqualTo(1);
    }

    @Test
    void doesNotClaimSandboxOfAnotherKind() {
        pool(8);
        keepWarm(KEY, 1);
        awaitWarm(1);

        for (var other :
                List.of(
                        WarmPoolTest.key(new TenantId("other"), AGENT, 1, "demo"),
                        WarmPoolTest.key(TENANT, new AgentName("other"), 1, "demo"),
                        WarmPoolTest.key(TENANT, AGENT, 2, "demo"),
                        WarmPoolTest.key(TENANT, AGENT, 1, "claude"))) {
            assertThat(store.claim(pool, other)).isEmpty();
        }
    }

    @Test
    void doesNotWaitForNextWarmSandboxOnClaim() {
        pool(8);
        keepWarm(KEY, 1);
        awaitWarm(1);
        var launching = new CountDownLatch(1);
        var proceed = new CountDownLatch(1);
        host.beforeLaunch =
                () -> {
                    launching.countDown();
                    await(proceed);
                };

        assertThat(store.claim(pool, KEY)).isPresent();
        await(launching);
        assertThat(store.claim(pool, KEY)).isEmpty();
        assertThat(pool.stats().warming()).isEqualTo(1);

        proceed.countDown();
        awaitWarm(2); // both claims count as demand
    }

    @Test
    void warmSandboxesUseQuarterOfCapacityAndStartSequentially() {
        pool(8);
        var other = WarmPoolTest.key(TENANT, new AgentName("other"), 1, "demo");
        host.beforeLaunch = () -> assertThat(pool.stats().warming()).isEqualTo(1);
        keepWarm(KEY, 1);
        keepWarm(other, 5);

        awaitWarm(2);

        assertThat(store.claim(pool, KEY)).isPresent();
        awaitWarm(2);
        assertThat(host.launches).hasSize(3);
    }

    @Test
    void smallPoolKeepsNoWarmSandboxes() {
        pool(3);
        keepWarm(KEY, 1);
        open();
        assertThat(pool.stats().warm() + pool.stats().warming()).isZero();
    }

    @Test
    void doesNotEvictForWarmSandbox() {
        pool(4);
        for (int i = 0; i < 4; i++) {
            open();
        }
        keepWarm(KEY, 1);
        assertFull(this::open);
        assertThat(host.launches).hasSize(4);
        pool.terminate(host.living.keySet().iterator().next());
        awaitWarm(1);
    }

    @Test
    void evictsLeastRecentlyUsedWarmThenWaitingNeverRunning() {
        pool(4);
        var first = open();
        var second = open();
        var third = open();
        keepWarm(KEY, 1);
        awaitWarm(1);
        pool.markRunning(second);
        pool.markRunning(first);
        pool.markWaiting(first); // more recent than the third
        onEvict(
                id -> {
                    asked.add(id);
                    return true;
                });

        open();
        assertThat(asked).isEmpty();
        assertThat(pool.stats().warm()).isZero();
        pool.markRunning(open());
        assertThat(asked).containsExactly(third);
        pool.markRunning(open());
        assertThat(asked).containsExactly(third, first);
        pool.markRunning(open()); // evicts the one that replaced the warm sandbox
        assertThat(asked).hasSize(3).doesNotContain(second);
        assertFull(this::open);
        assertThat(pool.stats().running()).isEqualTo(4);
        assertThat(pool.stats().evictions()).isEqualTo(4);
        assertThat(host.files).contains(first, third);
        assertThat(host.maxCount).hasValue(4);
    }

    @Test
    void asksNextCandidateIfSessionKeepsItsSandbox() {
        pool(2);
        var first = open();
        var second = open();
        onEvict(
                id -> {
                    asked.add(id);
                    return !id.equals(first);
                });

        var third = open();

        assertThat(asked).containsExactly(first, second);
        assertThat(host.living).containsOnlyKeys(first, third);
        onEvict(_ -> false);
        assertFull(this::open);
        onEvict(
                _ -> {
                    throw new IllegalStateException("injected failure");
                });
        assertFull(this::open);
        assertThat(pool.stats().total()).isEqualTo(3);
    }

    @Test
    void doesNotEvictSandboxWhoseTurnStartsMeanwhile() {
        pool(1);
        var first = open();
        onEvict(
                id -> {
                    pool.markRunning(id);
                    return true;
                });

        assertFull(this::open);

        assertThat(pool.find(first)).isPresent();
        assertThat(pool.stats().running()).isEqualTo(1);
    }

    @Test
    void allowsEvictorToTerminateSandbox() {
        pool(1);
        open();
        onEvict(
                id -> {
                    pool.terminate(id);
                    return true;
                });

        open();

        assertThat(host.maxCount).hasValue(1);
    }

    @Test
    void reservesCapacityOfVictimForRequester() throws Exception {
        pool(1);
        var evicting = new CountDownLatch(1);
        var proceed = new CountDownLatch(1);
        var wanted = spec(SandboxId.random());
        open();
        onEvict(
                id -> {
                    evicting.countDown();
                    await(proceed);
                    pool.terminate(id);
                    assertThat(host.living).isEmpty();
                    assertFull(this::open); // nothing runs, but the capacity is reserved
                    return true;
                });
        var opener =
                Thread.ofVirtual().start(() -> pool.open(TENANT, wanted, id -> evictor.evict(id)));
        await(evicting);

        assertFull(this::open);
        proceed.countDown();
        opener.join();

        assertThat(host.living).containsOnlyKeys(wanted.id());
        assertThat(host.maxCount).hasValue(1);
    }

    @Test
    void retriesFailedWarmStartWithBackoff() {
        pool(8);
        host.fails = () -> true;
        keepWarm(KEY, 1);
        Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> host.launches.size() >= 4);

        var times = List.copyOf(host.launches);

        for (int i = 1; i < 4; i++) {
            assertThat(Duration.ofNanos(times.get(i) - times.get(i - 1)))
                    .isGreaterThanOrEqualTo(Duration.ofMillis(20L << (i - 1)));
        }
        host.fails = () -> false;
        awaitWarm(1);
        assertThat(host.files).hasSize(1);
        assertThat(store.rows).hasSize(1);
    }

    @Test
    void doesNotEvictForSandboxWithMissingAgent() {
        pool(1);
        var first = open();
        onEvict(_ -> true);
        host.hasAgents = false;

        assertThatThrownBy(this::open)
                .isInstanceOfSatisfying(
                        ApiException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.AGENT_UNUSABLE));

        assertThat(host.living).containsOnlyKeys(first);
    }

    @Test
    void retriesWarmStartAfterMissingAgent() {
        pool(8);
        host.hasAgents = false;
        keepWarm(KEY, 1);
        Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> host.resolved.get() >= 2);
        assertThat(host.launches).isEmpty();

        host.hasAgents = true;

        awaitWarm(1);
        assertThat(store.rows).hasSize(1);
        assertThat(pool.stats().total()).isEqualTo(1);
    }

    @Test
    void replacesDeadWarmSandboxAfterDelay() {
        pool(8);
        keepWarm(KEY, 1);
        awaitWarm(1);
        var first = host.living.keySet().iterator().next();
        long start = System.nanoTime();

        host.terminate(first);

        assertThat(host.files).doesNotContain(first);
        awaitWarm(1);
        assertThat(store.rows).doesNotContainKey(first);
        assertThat(List.copyOf(host.launches).get(1) - start)
                .isGreaterThanOrEqualTo(Duration.ofMillis(20).toNanos());
    }

    @Test
    void dropsWarmSandboxesOfOldVersion() {
        pool(16);
        var renewed = WarmPoolTest.key(TENANT, AGENT, 2, "demo");
        var unrelated = WarmPoolTest.key(TENANT, new AgentName("other"), 1, "demo");
        keepWarm(KEY, 2);
        keepWarm(unrelated, 1);
        awaitWarm(3);

        keepWarm(renewed, 1);
        pool.dropWarm(TENANT, AGENT, 2);

        assertThat(store.claim(pool, KEY)).isEmpty();
        awaitWarm(2);
        assertThat(store.claim(pool, unrelated)).isPresent();
        assertThat(store.claim(pool, renewed)).isPresent();
    }

    @Test
    void dropsStartingWarmSandboxOfOldVersion() {
        pool(8);
        var launching = new CountDownLatch(1);
        var proceed = new CountDownLatch(1);
        host.beforeLaunch =
                () -> {
                    launching.countDown();
                    await(proceed);
                };
        keepWarm(KEY, 1);
        await(launching);
        var dropper = Thread.ofVirtual().start(() -> pool.dropWarm(TENANT, AGENT, 2));
        Awaitility.await()
                .atMost(Duration.ofMinutes(1))
                .until(() -> dropper.getState() == Thread.State.TIMED_WAITING);

        proceed.countDown();

        Awaitility.await()
                .atMost(Duration.ofMinutes(1))
                .until(() -> host.files.isEmpty() && store.rows.isEmpty());
        assertThat(pool.stats().total()).isZero();
    }

    @Test
    void terminatesSurplusWarmSandboxes() {
        pool(16);
        keepWarm(KEY, 3);
        awaitWarm(3);
        keepWarm(KEY, 1);
        assertThat(pool.stats().warm()).isEqualTo(1);
        keepWarm(KEY, 0);
        assertThat(pool.stats().total()).isZero();
        assertThat(host.files).isEmpty();
    }

    @Test
    void removesUnclaimedSandboxesOfKilledServer() {
        var unclaimed = SandboxId.random();
        var claimed = SandboxId.random();
        var adopted = SandboxId.random();
        store.rows.put(unclaimed, Optional.empty());
        store.rows.put(claimed, Optional.of(SessionId.random()));
        store.rows.put(adopted, Optional.of(SessionId.random()));
        host.files.addAll(List.of(unclaimed, claimed, adopted));
        pool(1);
        pool.adopt(TENANT, adopted, LaunchIds.random()).orElseThrow();

        pool.killLeftovers();

        assertThat(store.rows).containsOnlyKeys(claimed, adopted);
        assertThat(host.files).containsExactlyInAnyOrder(claimed, adopted);
        assertThat(pool.stats().cold()).isEqualTo(1);
    }

    @Test
    void adoptsBeyondCapacityButOpensNone() {
        pool(1);
        var ids = List.of(SandboxId.random(), SandboxId.random());
        host.files.addAll(ids);
        ids.forEach(id -> pool.adopt(TENANT, id, LaunchIds.random()).orElseThrow());
        assertThat(pool.adopt(TENANT, SandboxId.random(), LaunchIds.random())).isEmpty();
        assertFull(this::open);
        pool.terminate(ids.getFirst());
        assertFull(this::open);
        onEvict(_ -> true);
        open();
        assertThat(pool.stats().waiting()).isEqualTo(1);
    }

    @Test
    void leavesNothingAfterRejectedOpen() {
        pool(1);
        open();
        assertFull(this::open);
        assertThat(pool.stats().total()).isEqualTo(1);
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
