package dev.ash.sandbox;

import static dev.ash.sandbox.TestBed.run;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.protocol.bridge.BridgeCommand;
import java.io.IOException;
import java.time.Duration;
import java.util.UUID;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Processes that an agent started do not outlive its sandbox. */
class TerminationTest {
    private final String mark = "mark-" + UUID.randomUUID();
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

    /**
     * Starts a background job, a daemon in a new session, and a daemon with an empty environment.
     */
    private void startDaemons(Sandbox sandbox) throws IOException {
        run(
                sandbox,
                """
                sleeper='exec -a %1$s sleep 600'
                bash -c "$sleeper" >/dev/null 2>&1 &
                setsid bash -c "trap '' TERM HUP; $sleeper" >/dev/null 2>&1 &
                (setsid env -i bash -c "($sleeper) & exit 0" >/dev/null 2>&1 &)
                """
                        .formatted(mark));
        Awaitility.await()
                .atMost(Duration.ofMinutes(1))
                .until(() -> Processes.with(mark).size() == 3);
    }

    @Test
    void killsDaemonsOnClose() throws IOException {
        var sandbox = bed.manager("serves").launch(bed.spec());
        startDaemons(sandbox);
        long start = System.nanoTime();

        sandbox.close();

        assertThat(Processes.with(mark)).isEmpty();
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(10));
        assertThat(sandbox.isAlive()).isFalse();
        assertThat(sandbox.exitReason()).isEqualTo("The sandbox was terminated by the server.");
        sandbox.close();
    }

    @Test
    void killsDaemonsWhenBridgeExits() throws IOException {
        var sandbox = bed.manager("serves").launch(bed.spec());
        startDaemons(sandbox);

        sandbox.bridge().send(new BridgeCommand.Shutdown());

        assertThat(sandbox.bridge().next()).isNull();
        assertThat(sandbox.exitReason()).contains("exited with code 7");
        assertThat(Processes.with(mark)).isEmpty();
    }

    @Test
    void killsDaemonsWhenOuterProcessIsKilled() throws IOException {
        var spec = bed.spec();
        var sandbox = bed.manager("serves").launch(spec);
        startDaemons(sandbox);

        // The outer process is a child of this process.
        ProcessHandle.current()
                .children()
                .filter(child -> child.info().command().orElse("").endsWith("bwrap"))
                .forEach(ProcessHandle::destroyForcibly);

        Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> !sandbox.isAlive());
        assertThat(sandbox.exitReason()).contains("was killed by signal 9");
        assertThat(Processes.with(mark)).isEmpty();
        assertThat(Processes.with(spec.id().value())).isEmpty();
    }

    @Test
    void unblocksReaderOnClose() throws Exception {
        var sandbox = bed.manager("serves").launch(bed.spec());
        var answers = new java.util.concurrent.ArrayBlockingQueue<String>(1);
        Thread.ofVirtual()
                .start(
                        () -> {
                            try {
                                answers.add("read " + sandbox.bridge().next());
                            } catch (IOException e) {
                                answers.add("threw " + e);
                            }
                        });

        sandbox.close();

        assertThat(answers.poll(5, java.util.concurrent.TimeUnit.SECONDS)).isEqualTo("read null");
    }
}
