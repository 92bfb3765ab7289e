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

/** What becomes of sandboxes whose server was killed. */
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

    private String crash(String mode, String wall) throws Exception {
        if (wall.equals("plain")) {
            bed.withoutBubblewrap();
        } else {
            TestBed.needsBubblewrap();
        }
        return CrashingServer.run(bed.root, id, mode, wall);
    }

    @ParameterizedTest
    @ValueSource(strings = {"wall", "plain"})
    void aNewServerGoesOnWithTheSameProcesses(String wall) throws Exception {
        var nonce = crash("stays", wall);
        var left = pids();
        var manager = bed.manager("stays");

        var sandbox = manager.adopt(id, nonce, gone::countDown).orElseThrow();

        assertThat(sandbox.launchId()).isEqualTo(nonce);
        assertThat(sandbox.alive()).isTrue();
        assertThat(run(sandbox, "cat notes")).isEqualTo("kept");
        assertThat(left).hasSizeGreaterThan(1);
        assertThat(pids()).containsExactlyInAnyOrderElementsOf(left);
        long begun = System.nanoTime();

        sandbox.close();

        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(10));
        assertThat(Processes.with(mark)).isEmpty();
        assertThat(sandbox.alive()).isFalse();
        assertThat(sandbox.death()).isEqualTo("The sandbox was ended by the server.");
        assertThat(gone.getCount()).isZero();
        assertThat(bed.dataDir.resolve("run")).isEmptyDirectory();
        try (var again = manager.launch(bed.spec(id))) {
            assertThat(run(again, "cat notes")).isEqualTo("kept");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"wall", "plain"})
    void theDeathOfAnAdoptedSandboxIsNoticed(String wall) throws Exception {
        var nonce = crash("stays", wall);
        var sandbox = bed.manager("stays").adopt(id, nonce, gone::countDown).orElseThrow();

        sandbox.bridge().send(new BridgeCommand.Shutdown());

        assertThat(sandbox.bridge().next()).isNull();
        assertThat(sandbox.death())
                .isEqualTo(
                        "The sandbox ended: its bridge ended. Its error output ends with: told to go");
        assertThat(gone.await(30, TimeUnit.SECONDS)).isTrue();
        assertThat(Processes.with(mark)).isEmpty();
    }

    @Test
    void nobodyWaitsAndTheDeathIsNoticedStill() throws Exception {
        var nonce = crash("stays", "wall");
        var sandbox = bed.manager("stays").adopt(id, nonce, gone::countDown).orElseThrow();

        sandbox.bridge().send(new BridgeCommand.Shutdown());

        assertThat(gone.await(30, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void anAdoptedSandboxEndsWithItsManager() throws Exception {
        var nonce = crash("stays", "wall");
        var manager = bed.manager("stays");
        manager.adopt(id, nonce, gone::countDown).orElseThrow();

        manager.close();

        assertThat(Processes.with(mark)).isEmpty();
    }

    @Test
    void oneThatIsNotTheLaunchIsEnded() throws Exception {
        crash("stays", "wall");
        assertEnded(LaunchIds.random());
    }

    @Test
    void oneWhoseBridgeDoesNotAnswerIsEnded() throws Exception {
        assertEnded(crash("falls-silent", "wall"));
    }

    @Test
    void oneWhoseBridgeIsGoneIsEnded() throws Exception {
        assertEnded(crash("serves", "plain"));
    }

    /** Behind the wall all others end with it, without a server. */
    @Test
    void oneWhoseBridgeIsGoneIsGoneWithIt() throws Exception {
        var nonce = crash("serves", "wall");

        Awaitility.await()
                .atMost(Duration.ofMinutes(1))
                .until(() -> Processes.with(mark).isEmpty());

        assertThat(bed.manager("stays").adopt(id, nonce, gone::countDown)).isEmpty();
        assertThat(bed.dataDir.resolve("run")).isEmptyDirectory();
    }

    /** As after a crash between the start of the process and the record of it. */
    @Test
    void oneWithoutARecordIsEnded() throws Exception {
        var nonce = crash("stays", "wall");
        Files.delete(record());
        assertEnded(nonce);
    }

    @Test
    void aStrangerWithTheNumberOfTheProcessIsLeftAlone() throws Exception {
        var nonce = crash("stays", "wall");
        var stranger = new ProcessBuilder("sleep", "600").start();
        try {
            var text = Files.readString(record());
            Files.writeString(
                    record(), text.replaceAll("\"pid\":\\d+", "\"pid\":" + stranger.pid()));

            assertEnded(nonce);

            assertThat(stranger.isAlive()).isTrue();
        } finally {
            stranger.destroyForcibly().waitFor();
        }
    }

    @Test
    void aServerEndsWhatItDoesNotAdopt() throws Exception {
        var nonce = crash("stays", "wall");
        var other = SandboxId.random();
        CrashingServer.run(bed.root, other, "stays", "wall");
        var manager = bed.manager("stays");
        var adopted = manager.adopt(id, nonce, gone::countDown).orElseThrow();

        assertThat(manager.endLeftovers(id)).isFalse();
        assertThat(manager.endLeftovers(other)).isTrue();

        assertThat(Processes.with("ASH_SANDBOX_ID=" + other)).isEmpty();
        assertThat(run(adopted, "cat notes")).isEqualTo("kept");
    }

    /** Without their commands: one that sets a session becomes another meanwhile. */
    private List<String> pids() throws IOException {
        return Processes.with(mark).stream()
                .map(process -> process.substring(0, process.indexOf(':')))
                .toList();
    }

    private java.nio.file.Path record() {
        return bed.dataDir.resolve("sandboxes").resolve(id.value()).resolve("launch.json");
    }

    private void assertEnded(String nonce) throws IOException {
        assertThat(Processes.with(mark)).isNotEmpty();
        var manager = bed.manager("stays");

        assertThat(manager.adopt(id, nonce, gone::countDown)).isEmpty();

        assertThat(Processes.with(mark)).isEmpty();
        assertThat(bed.dataDir.resolve("run")).isEmptyDirectory();
        try (var again = manager.launch(bed.spec(id))) { // and nothing stands in the way
            assertThat(run(again, "cat notes")).isEqualTo("kept");
        }
    }
}
