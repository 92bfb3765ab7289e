package dev.ash.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.SandboxId;
import dev.ash.protocol.TenantId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Fairness and limits of tenants that share a pool. */
class TenantPoolTest {
    private static final TenantId A = new TenantId("a");
    private static final TenantId B = new TenantId("b");
    private static final TenantId C = new TenantId("c");

    private final FakeHost host = new FakeHost();
    private final FakeStore store = new FakeStore();
    private SandboxPool pool;

    /** Opens a pool; sessions release every waiting sandbox. */
    private void pool(int capacity, Map<TenantId, Integer> limits) {
        pool =
                new SandboxPool(
                        host,
                        capacity,
                        tenant -> limits.getOrDefault(tenant, Integer.MAX_VALUE),
                        store,
                        Duration.ofMillis(20));
    }

    @AfterEach
    void close() {
        pool.close();
        assertThat(host.living).isEmpty();
    }

    private SandboxId open(TenantId tenant) {
        return pool.open(tenant, WarmPoolTest.spec(SandboxId.random()), _ -> true).id();
    }

    private List<SandboxId> open(TenantId tenant, int count) {
        var opened = new ArrayList<SandboxId>();
        for (int i = 0; i < count; i++) {
            opened.add(open(tenant));
        }
        return opened;
    }

    private List<SandboxId> run(TenantId tenant, int count) {
        var opened = open(tenant, count);
        opened.forEach(pool::markRunning);
        return opened;
    }

    private long living(List<SandboxId> ids) {
        return ids.stream().filter(host.living::containsKey).count();
    }

    private void assertRefused(ErrorCode code, TenantId tenant) {
        assertThatThrownBy(() -> open(tenant))
                .isInstanceOfSatisfying(
                        ApiException.class, e -> assertThat(e.code()).isEqualTo(code));
    }

    @Test
    void evictsFromTenantWithMostSandboxes() {
        pool(10, Map.of());
        var ofB = open(B, 2); // least recently used
        var ofA = open(A, 8);

        var ofC = open(C, 3);

        assertThat(living(ofB)).isEqualTo(2);
        assertThat(living(ofA)).isEqualTo(5);
        assertThat(living(ofC)).isEqualTo(3);
    }

    @Test
    void tenantAboveShareEvictsOnlyItsOwn() {
        pool(4, Map.of());
        var ofB = open(B, 2);
        var ofA = open(A, 2);

        var more = open(A);

        assertThat(living(ofB)).isEqualTo(2);
        assertThat(living(ofA)).isEqualTo(1);
        pool.markRunning(more);
        ofA.forEach(pool::markRunning);
        assertRefused(ErrorCode.CAPACITY_REACHED, A);
        assertThat(living(ofB)).isEqualTo(2);
    }

    @Test
    void tenantWithinShareKeepsItsSandboxes() {
        pool(10, Map.of());
        var ofB = open(B, 2);
        run(A, 8);

        assertRefused(ErrorCode.CAPACITY_REACHED, C);

        assertThat(living(ofB)).isEqualTo(2);
    }

    @Test
    void singleTenantUsesWholeCapacity() {
        pool(4, Map.of());
        open(A, 4);

        open(A);

        assertThat(host.living).hasSize(4);
        assertThat(pool.stats().evictions()).isEqualTo(1);
    }

    @Test
    void enforcesTenantLimitUnderConcurrency() throws Exception {
        pool(20, Map.of(A, 3));
        run(A, 1);
        var calls = new ArrayList<Callable<Boolean>>();
        for (int i = 0; i < 30; i++) {
            calls.add(this::opensAndRuns);
        }

        long opened = 0;
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (var each : threads.invokeAll(calls)) {
                opened += each.get() ? 1 : 0;
            }
        }

        assertThat(host.maxCount.get()).isEqualTo(3);
        assertThat(opened).isGreaterThanOrEqualTo(2);
        host.living.keySet().forEach(pool::markRunning);
        assertThat(host.living).hasSize(3);
        assertRefused(ErrorCode.QUOTA_EXCEEDED, A);
        var oneOfA = host.living.keySet().iterator().next();
        open(B); // other tenants are not affected
        pool.terminate(oneOfA);
        open(A);
    }

    private boolean opensAndRuns() {
        try {
            pool.markRunning(open(A));
            return true;
        } catch (ApiException e) {
            if (e.code() != ErrorCode.QUOTA_EXCEEDED && e.code() != ErrorCode.SANDBOX_FAILED) {
                throw e;
            }
            return false;
        }
    }

    @Test
    void tenantAtLimitEvictsItsOwnWaitingSandbox() {
        pool(20, Map.of(A, 2));
        var first = open(A, 2);

        var next = open(A);

        assertThat(living(first)).isEqualTo(1);
        assertThat(host.living).containsKey(next).hasSize(2);
    }

    @Test
    void failedLaunchDoesNotCountAgainstLimit() {
        pool(20, Map.of(A, 1));
        host.fails = () -> true;
        assertRefused(ErrorCode.SANDBOX_FAILED, A);
        host.fails = () -> false;

        run(A, 1);

        assertRefused(ErrorCode.QUOTA_EXCEEDED, A);
    }

    @Test
    void warmSandboxCountsAgainstLimitOnceClaimed() {
        pool(20, Map.of(A, 1));
        var key = WarmPoolTest.key(A, WarmPoolTest.AGENT, 1, "demo");
        pool.keepWarm(key, Map.of(), 2);
        Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> pool.stats().warm() == 2);

        var claimed = store.claim(pool, key).orElseThrow();
        pool.markRunning(claimed.id());

        assertThat(store.claim(pool, key)).isEmpty();
        assertRefused(ErrorCode.QUOTA_EXCEEDED, A);
        pool.terminate(claimed.id());
        assertThat(store.claim(pool, key)).isPresent();
    }
}
