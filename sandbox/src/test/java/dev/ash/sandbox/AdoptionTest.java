package dev.ash.sandbox;

import static dev.ash.sandbox.TestBed.run;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.protocol.SandboxId;
import dev.ash.protocol.bridge.BridgeCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Adoption of sandboxes whose server was killed. */
class AdoptionTest {
    private final SandboxId id = SandboxId.random();
    private final String mark = "ASH_SANDBOX_ID=" + id;
    private final CountDownLatch gone = new CountDownLatch(1);
    private TestBed bed;

    @BeforeEach
    void open() throws IOException {
        bed = new TestBed();
    }

    @AfterEach
    void close() throws IOException {
        bed.close();
    }

    private String crash(String mode, String confinement) throws Exception {
        if (confinement.equals("none")) {
            bed.withoutBubblewrap();
        } else {
            TestBed.needsBubblewrap();
        }
        return CrashingServer.run(bed.root, id, mode, confinement);
    }

    @ParameterizedTest
    @ValueSource(strings = {"bubblewrap", "none"})
    void adoptsRunningProcesses(String confinement) throws Exception {
        var nonce = crash("stays", confinement);
        var left = pids();
        var manager = bed.manager("stays");

        var sandbox = manager.adopt(id, nonce, gone::countDown).orElseThrow();

        assertThat(sandbox.launchId()).isEqualTo(nonce);
        assertThat(sandbox.isAlive()).isTrue();
        assertThat(run(sandbox, "cat notes")).isEqualTo("kept");
        assertThat(left).hasSizeGreaterThan(1);
        assertThat(pids()).containsExactlyInAnyOrderElementsOf(left);
        long start = System.nanoTime();

        sandbox.close();

        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(10));
        assertThat(Processes.with(mark)).isEmpty();
        assertThat(sandbox.isAlive()).isFalse();
        assertThat(sandbox.exitReason()).isEqualTo("The sandbox was terminated by the server.");
        assertThat(gone.getCount()).isZero();
        assertThat(bed.dataDir.resolve("run")).isEmptyDirectory();
        try (var again = manager.launch(bed.spec(id))) {
            assertThat(run(again, "cat notes")).isEqualTo("kept");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"bubblewrap", "none"})
    void detectsExitOfAdoptedSandbox(String confinement) throws Exception {
        var nonce = crash("stays", confinement);
        var sandbox = bed.manager("stays").adopt(id, nonce, gone::countDown).orElseThrow();

        sandbox.bridge().send(new BridgeCommand.Shutdown());

        assertThat(sandbox.bridge().next()).isNull();
        assertThat(sandbox.exitReason())
                .isEqualTo(
                        "The sandbox terminated: its bridge exited. Its error output ends with: shutdown requested");
        assertThat(gone.await(30, TimeUnit.SECONDS)).isTrue();
        assertThat(Processes.with(mark)).isEmpty();
    }

    @Test
    void detectsExitOfAdoptedSandboxWithoutWaiter() throws Exception {
        var nonce = crash("stays", "bubblewrap");
        var sandbox = bed.manager("stays").adopt(id, nonce, gone::countDown).orElseThrow();

        sandbox.bridge().send(new BridgeCommand.Shutdown());

        assertThat(gone.await(30, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void terminatesAdoptedSandboxOnClose() throws Exception {
        var nonce = crash("stays", "bubblewrap");
        var manager = bed.manager("stays");
        manager.adopt(id, nonce, gone::countDown).orElseThrow();

        manager.close();

        assertThat(Processes.with(mark)).isEmpty();
    }

    @Test
    void terminatesSandboxWithWrongNonce() throws Exception {
        crash("stays", "bubblewrap");
        assertTerminated(LaunchIds.random());
    }

    @Test
    void terminatesSandboxWithSilentBridge() throws Exception {
        assertTerminated(crash("falls-silent", "bubblewrap"));
    }

    @Test
    void terminatesUnconfinedSandboxWithoutBridge() throws Exception {
        assertTerminated(crash("serves", "none"));
    }

    /** With bubblewrap, all processes exit with the bridge, even without a server. */
    @Test
    void findsNothingIfBridgeHasExited() throws Exception {
        var nonce = crash("serves", "bubblewrap");

        Awaitility.await()
                .atMost(Duration.ofMinutes(1))
                .until(() -> Processes.with(mark).isEmpty());

        assertThat(bed.manager("stays").adopt(id, nonce, gone::countDown)).isEmpty();
        assertThat(bed.dataDir.resolve("run")).isEmptyDirectory();
    }

    /** Simulates a crash between the start of the process and its record. */
    @Test
    void terminatesSandboxWithoutLaunchRecord() throws Exception {
        var nonce = crash("stays", "bubblewrap");
        Files.delete(record());
        assertTerminated(nonce);
    }

    @Test
    void doesNotKillUnrelatedProcessWithReusedPid() throws Exception {
        var nonce = crash("stays", "bubblewrap");
        var unrelated = new ProcessBuilder("sleep", "600").start();
        try {
            var text = Files.readString(record());
            Files.writeString(
                    record(), text.replaceAll("\"pid\":\\d+", "\"pid\":" + unrelated.pid()));

            assertTerminated(nonce);

            assertThat(unrelated.isAlive()).isTrue();
        } finally {
            unrelated.destroyForcibly().waitFor();
        }
    }

    @Test
    void killsLeftoversThatAreNotAdopted() throws Exception {
        var nonce = crash("stays", "bubblewrap");
        var other = SandboxId.random();
        CrashingServer.run(bed.root, other, "stays", "bubblewrap");
        var manager = bed.manager("stays");
        var adopted = manager.adopt(id, nonce, gone::countDown).orElseThrow();

        assertThat(manager.killLeftovers(id)).isFalse();
        assertThat(manager.killLeftovers(other)).isTrue();

        assertThat(Processes.with("ASH_SANDBOX_ID=" + other)).isEmpty();
        assertThat(run(adopted, "cat notes")).isEqualTo("kept");
    }

    /** Returns pids without command lines, which change when a process calls exec. */
    private List<String> pids() throws IOException {
        return Processes.with(mark).stream()
                .map(process -> process.substring(0, process.indexOf(':')))
                .toList();
    }

    private java.nio.file.Path record() {
        return bed.dataDir.resolve("sandboxes").resolve(id.value()).resolve("launch.json");
    }

    private void assertTerminated(String nonce) throws IOException {
        assertThat(Processes.with(mark)).isNotEmpty();
        var manager = bed.manager("stays");

        assertThat(manager.adopt(id, nonce, gone::countDown)).isEmpty();

        assertThat(Processes.with(mark)).isEmpty();
        assertThat(bed.dataDir.resolve("run")).isEmptyDirectory();
        try (var again = manager.launch(bed.spec(id))) { // a new launch succeeds
            assertThat(run(again, "cat notes")).isEqualTo("kept");
        }
    }
}
