package dev.ash.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Test;

/** Checks that no process outlives its session or its server, even if the agent detached it. */
class StopTest {
    /** Unique sleep duration that identifies the processes of this test. */
    private final String seconds = "600." + ThreadLocalRandom.current().nextLong(1L << 40);

    private final String startDetached =
            "sleep %1$s & setsid sleep %1$s </dev/null >/dev/null 2>&1 & setsid env -i sleep %1$s & sleep 0; echo up"
                    .formatted(seconds);

    @Test
    @NeedsClaude
    void stopDuringTurnOfRealCliLeavesNoProcess() {
        try (var ash = AshExtension.claude().agent("hello").open()) {
            var session = ash.session("hello");
            var prompt = "TOOL:Bash {\"command\":\"" + startDetached + "\"}\nHOLD";
            try (var turn = session.send(prompt)) {
                turn.next("tool_use");
                ash.model().await(request -> request.isTurn() && !request.toolResults().isEmpty());
                await().atMost(Duration.ofMinutes(1)).until(() -> sleepingProcesses() == 3);

                ash.stop();

                assertThat(sleepingProcesses()).isZero();
                assertThat(Frame.names(turn.rest())).endsWith("error", "done");
            }
        }
    }

    @Test
    void stopPausesSessionsAndTheyResume() {
        var directory = TestDirectory.create();
        String id;
        try (var server = AshServer.start(Map.of(), directory)) {
            server.deploy("hello");
            var session = server.session("hello");
            session.exec("echo kept > note.txt");
            session.exec(startDetached);
            await().atMost(Duration.ofMinutes(1)).until(() -> sleepingProcesses() == 3);
            id = session.id();

            server.stop();

            assertThat(sleepingProcesses()).isZero();
            try (var again = AshServer.start(Map.of(), directory)) {
                var resumed =
                        new TestSession(
                                again, again.api().get("/api/sessions/" + id).at("/session"));
                assertThat(resumed.status()).isEqualTo("paused");
                assertThat(resumed.created().path("pausedBy").asString()).isEqualTo("server");
                resumed.post("resume").expect(200);
                assertThat(resumed.exec("cat note.txt").path("stdout").asString())
                        .isEqualTo("kept\n");
            }
        }
    }

    @Test
    void endAndStopTerminateProcessesOfSession() {
        try (var ash = AshExtension.demo().agent("hello").open()) {
            var ended = ash.session("hello");
            ended.exec(startDetached);
            await().atMost(Duration.ofMinutes(1)).until(() -> sleepingProcesses() == 3);

            ended.end().expect(200);

            assertThat(sleepingProcesses()).isZero();
            ended.awaitRemoval();
            assertThat(ash.data().resolve("sandboxes").toFile().list())
                    .as("directories of ended sandboxes")
                    .isEmpty();

            var stopped = ash.session("hello");
            stopped.exec(startDetached);
            await().atMost(Duration.ofMinutes(1)).until(() -> sleepingProcesses() == 3);
            stopped.post("stop").expect(200);
            assertThat(sleepingProcesses()).isZero();
        }
    }

    @Test
    void stopTerminatesSessionOfDisconnectedClient() {
        try (var ash =
                AshExtension.agentsBridge().agentWithBridge("echo", "seed_bridge.py").open()) {
            try (var turn = ash.session("echo").send("HANG")) {
                turn.next("message");
            }

            ash.stop(); // fails if a process remains
        }
    }

    private int sleepingProcesses() {
        return Processes.matching(
                        process ->
                                process.command().contains("sleep " + seconds)
                                        && !process.command().contains("setsid")
                                        && !process.command().contains("sh -c"))
                .size();
    }
}
