package dev.ash.sandbox;

import static dev.ash.sandbox.TestBed.run;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ash.protocol.AgentName;
import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.SandboxId;
import dev.ash.protocol.TenantId;
import dev.ash.protocol.bridge.BridgeCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SandboxPoolTest {
    private static final TenantId TENANT = TenantId.DEFAULT;

    private final Journal journal = new Journal();
    private TestBed bed;

    @BeforeEach
    void open() throws IOException {
        TestBed.needsBubblewrap();
        bed = new TestBed();
    }

    @AfterEach
    void close() throws IOException {
        if (bed != null) { // null if the test was skipped
            bed.close();
        }
    }

    /** Records the calls of a store, and whether files existed at that time. */
    private final class Journal implements SandboxStore {
        private final ConcurrentLinkedQueue<String> lines = new ConcurrentLinkedQueue<>();

        @Override
        public void recordLaunch(SandboxRow row) {
            var files = Files.exists(row.workspaceDir()) ? "with files" : "without files";
            lines.add("starting " + files);
        }

        @Override
        public void updateState(SandboxId id, SandboxState state) {
            lines.add(state.toString());
        }

        @Override
        public Set<SandboxId> findUnused() {
            return Set.of();
        }

        @Override
        public void delete(SandboxId id) {
            lines.add("removed");
        }

        private List<String> lines() {
            return List.copyOf(lines);
        }
    }

    @Test
    void updatesStoreBeforeActing() {
        var pool = new SandboxPool(bed.manager("serves"), 2, journal);
        var spec = bed.spec();

        pool.open(TENANT, spec, Evictor.NONE);
        pool.markRunning(spec.id());
        pool.markRunning(spec.id());
        pool.markWaiting(spec.id());
        pool.terminate(spec.id());
        pool.terminate(spec.id());
        pool.open(TENANT, spec, Evictor.NONE);
        pool.discard(spec.id());

        awaitRemoval(pool);
        assertThat(journal.lines())
                .containsExactly(
                        "starting without files",
                        "WAITING",
                        "RUNNING",
                        "WAITING",
                        "COLD",
                        "starting with files",
                        "WAITING",
                        "COLD",
                        "removed");
    }

    @Test
    void countsSandboxesByState() {
        var pool = new SandboxPool(bed.manager("serves"), 3, journal);
        var first = bed.spec();
        var second = bed.spec();
        pool.open(TENANT, first, Evictor.NONE);
        pool.open(TENANT, second, Evictor.NONE);
        pool.markRunning(second.id());
        pool.terminate(first.id());

        var stats = pool.stats();

        assertThat(stats.total()).isEqualTo(2);
        assertThat(stats.cold()).isEqualTo(1);
        assertThat(stats.running()).isEqualTo(1);
        assertThat(stats.maxCapacity()).isEqualTo(3);
        pool.open(TENANT, first, Evictor.NONE);
        assertThat(pool.find(first.id())).isPresent();
        assertThat(new SandboxPool(bed.manager("serves"), 3, journal).stats().cold()).isEqualTo(2);
    }

    @Test
    void respectsCapacityUnderConcurrency() throws InterruptedException {
        int threads = 50;
        var pool = new SandboxPool(bed.manager("serves"), 3, journal);
        var begin = new CountDownLatch(1);
        var end = new CountDownLatch(threads);
        var opened = new ConcurrentLinkedQueue<Sandbox>();
        var refused = new AtomicInteger();
        for (int i = 0; i < threads; i++) {
            Thread.ofVirtual()
                    .start(
                            () -> {
                                try {
                                    begin.await();
                                    opened.add(pool.open(TENANT, bed.spec(), Evictor.NONE));
                                } catch (ApiException e) {
                                    if (e.code() == ErrorCode.CAPACITY_REACHED) {
                                        refused.incrementAndGet();
                                    }
                                } catch (InterruptedException e) {
                                    Thread.currentThread().interrupt();
                                } finally {
                                    end.countDown();
                                }
                            });
        }

        begin.countDown();
        end.await();

        assertThat(opened).hasSize(3).allMatch(Sandbox::isAlive);
        assertThat(refused).hasValue(47);
        assertThat(pool.stats().waiting()).isEqualTo(3);
        pool.terminate(opened.peek().id());
        assertThat(pool.open(TENANT, bed.spec(), Evictor.NONE).isAlive()).isTrue();
    }

    @Test
    void returnsCapacityAfterFailedLaunch() {
        var pool = new SandboxPool(bed.manager("exits"), 1, journal);
        for (int i = 0; i < 3; i++) {
            assertThatThrownBy(() -> pool.open(TENANT, bed.spec(), Evictor.NONE))
                    .isInstanceOfSatisfying(
                            ApiException.class,
                            e -> assertThat(e.code()).isEqualTo(ErrorCode.SANDBOX_FAILED));
        }
        assertThat(pool.stats().warming()).isZero();
        assertThat(journal.lines()).startsWith("starting without files", "COLD");
    }

    @Test
    void returnsCapacityAfterExit() throws IOException {
        var pool = new SandboxPool(bed.manager("serves"), 1, journal);
        var spec = bed.spec();
        var sandbox = pool.open(TENANT, spec, Evictor.NONE);

        sandbox.bridge().send(new BridgeCommand.Shutdown());

        assertThat(sandbox.exitReason()).contains("code 7");
        assertThat(pool.find(spec.id())).isEmpty();
        pool.open(TENANT, bed.spec(), Evictor.NONE).close();
    }

    @Test
    void terminatesStartingSandbox() throws InterruptedException {
        bed.readyTimeout = Duration.ofSeconds(30);
        var pool = new SandboxPool(bed.manager("never-listens"), 1, journal);
        var spec = bed.spec();
        var failure = new java.util.concurrent.ArrayBlockingQueue<String>(1);
        Thread.ofVirtual()
                .start(
                        () -> {
                            try {
                                pool.open(TENANT, spec, Evictor.NONE);
                            } catch (ApiException e) {
                                failure.add(e.message());
                            }
                        });
        Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> pool.stats().warming() == 1);

        pool.discard(spec.id());

        assertThat(failure.poll(5, java.util.concurrent.TimeUnit.SECONDS))
                .startsWith("The sandbox");
        awaitRemoval(pool);
        assertThat(journal.lines()).containsExactly("starting without files", "COLD", "removed");
    }

    /** Files are removed in the background, and the row last. */
    private void awaitRemoval(SandboxPool pool) {
        Awaitility.await()
                .atMost(Duration.ofMinutes(1))
                .until(() -> journal.lines().contains("removed"));
        assertThat(pool.stats().total()).isZero();
    }

    @Test
    void startsNothingAfterClose() {
        var pool = new SandboxPool(bed.manager("serves"), 2, journal);
        var sandbox = pool.open(TENANT, bed.spec(), Evictor.NONE);

        pool.close();
        pool.close();

        assertThat(sandbox.isAlive()).isFalse();
        assertThatThrownBy(() -> pool.open(TENANT, bed.spec(), Evictor.NONE))
                .isInstanceOfSatisfying(
                        ApiException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.SHUTTING_DOWN));
    }

    @Test
    void claimedSandboxIsUnusedAndHasNoSession() throws IOException {
        var pool = new SandboxPool(bed.manager("serves"), 4, journal);
        var key = WarmPoolTest.key(TENANT, new AgentName("test"), 1, "demo");
        pool.keepWarm(key, Map.of("ASH_ENGINE", "demo"), 1);
        Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> pool.stats().warm() == 1);

        var sandbox = pool.claim(key).orElseThrow();

        assertThat(run(sandbox, "cat CLAUDE.md; ls -A ~ | wc -l; ls -A"))
                .isEqualTo("You are a test.\n0\nCLAUDE.md");
        assertThat(run(sandbox, "tr '\\0' '\\n' < /proc/$PPID/environ"))
                .contains("ASH_SANDBOX_ID=" + sandbox.id())
                .contains("ASH_BRIDGE_NONCE=" + sandbox.launchId())
                .doesNotContain("ASH_SESSION_ID");
        assertThat(journal.lines()).startsWith("starting without files", "WARM", "WAITING");
        pool.close();
        assertThat(bed.dataDir.resolve("sandboxes"))
                .isDirectoryContaining(directory -> directory.endsWith(sandbox.id().value()))
                .isDirectoryNotContaining(directory -> !directory.endsWith(sandbox.id().value()));
    }

    @Test
    void adoptedSandboxUsesCapacityUntilExit() throws Exception {
        var spec = bed.spec();
        var nonce = CrashingServer.run(bed.root, spec.id(), "stays", "bubblewrap");
        var pool = new SandboxPool(bed.manager("stays"), 1, journal);

        var sandbox = pool.adopt(TENANT, spec.id(), nonce).orElseThrow();
        pool.killLeftovers();

        assertThat(run(sandbox, "cat notes")).isEqualTo("kept");
        assertThat(pool.stats().waiting()).isEqualTo(1);
        assertThatThrownBy(() -> pool.open(TENANT, bed.spec(), Evictor.NONE))
                .hasMessageContaining("All 1 sandboxes are in use");
        sandbox.bridge().send(new BridgeCommand.Shutdown());
        Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> pool.stats().cold() == 1);
        pool.open(TENANT, bed.spec(), Evictor.NONE).close();
        assertThat(journal.lines()).startsWith("WAITING", "COLD");
    }
}
