package dev.ash.e2e.engine;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.ash.e2e.Frame;
import dev.ash.e2e.TestSession;
import java.time.Duration;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Interrupts, crashes and bad output, and what remains of an engine. */
interface FailureContract extends ContractPart {
    @Test
    @Proves(Property.INTERRUPT)
    default void interruptEndsTurnAndItsProcesses() {
        server().inSession(
                        session -> {
                            var script = engine().run("echo up > up; exec sleep 4711") + "\nSAY:no";
                            try (var turn = session.send(script)) {
                                turn.next("tool_use");
                                session.awaitWorkspaceFile("up", "up\n");
                                assertThat(sleeping(session)).isTrue();

                                var answer = session.post("interrupt").expect(200);

                                assertThat(answer.at("/interrupted").asBoolean()).isTrue();
                                var result = ContractServer.messages(turn.rest()).getLast();
                                assertThat(result.path("type").asString()).isEqualTo("result");
                                assertThat(result.path("terminal_reason").asString())
                                        .startsWith("aborted");
                            }
                            await().atMost(Duration.ofSeconds(10)).until(() -> !sleeping(session));
                            assertThat(Frame.said(session.ask("NEW\nSAY:on we go")))
                                    .isEqualTo("on we go");
                        });
    }

    private static boolean sleeping(TestSession session) {
        return session.processes().stream()
                .anyMatch(found -> found.command().contains("sleep 4711"));
    }

    @Test
    @Proves(Property.CRASH)
    default void killedEngineFailsTurnAndSessionContinues() {
        server().inSession(
                        session -> {
                            session.ask("SAY:before the crash");
                            session.ask("SAY:and stored"); // a CLI may store a turn with the next
                            try (var turn = session.send("HOLD", ContractServer.PARTIAL)) {
                                turn.next("text_delta");

                                EngineProcesses.kill(session, engine());

                                assertThat(Frame.names(turn.rest())).endsWith("error", "done");
                            }
                            server().model().release();
                            session.post("resume").expect(200);
                            assertThat(server().callAfter(session, "after the crash").everything())
                                    .contains("before the crash");
                        });
    }

    @Test
    @Proves(Property.GARBAGE)
    default void malformedOutputDoesNotEndTurn() {
        var garbage =
                "Warning: this is not JSON\n"
                        + "{\"half\":\n"
                        + "[1, 2, 3]\n"
                        + "{\"jsonrpc\":\"2.0\",\"id\":987654,\"result\":{}}\n"
                        + "{\"jsonrpc\":\"2.0\",\"method\":\"no/such\",\"params\":[]}\n";
        server().inSession(session -> assertHarmless(session, garbage.getBytes(ISO_8859_1)));
    }

    @Test
    @Proves(Property.FLOOD)
    default void floodDoesNotEndTurn() {
        var flood = ("flood ".repeat(200) + "\n").repeat(20_000).getBytes(ISO_8859_1);
        server().inSession(session -> assertHarmless(session, flood));
        server().inSession(FailureContract::assertDeliversManyParts);
    }

    /** Prints while the model answers; the rest of the answer and the next turn are complete. */
    private void assertHarmless(TestSession session, byte[] output) {
        try (var turn = session.send("HOLD", ContractServer.PARTIAL)) {
            turn.next("text_delta");

            EngineProcesses.print(session, engine(), output);

            server().model().release();
            var rest = turn.rest();
            assertThat(Frame.said(rest)).as("%s", rest).isEqualTo("holding released");
        }
        assertThat(Frame.said(session.ask("SAY:unharmed"))).isEqualTo("unharmed");
    }

    private static void assertDeliversManyParts(TestSession session) {
        try (var turn = session.send("SLOW:1500 0", ContractServer.PARTIAL)) {
            var frames = turn.rest();

            var expected =
                    IntStream.range(0, 1500)
                            .mapToObj(n -> "chunk " + n + " ")
                            .collect(Collectors.joining());
            assertThat(ContractServer.deltas(frames)).isEqualTo(expected);
            assertThat(Frame.said(frames).strip()).isEqualTo(expected.strip());
        }
    }

    @Test
    @Proves(Property.PROCESSES)
    default void noProcessSurvivesSession() {
        server().inNewSession(
                        Map.of(),
                        session -> {
                            session.ask(
                                    engine().run("nohup sleep 4712 > nohup.txt 2>&1 & echo begun")
                                            + "\nSAY:left one");
                            try (var turn = session.send("HOLD", ContractServer.PARTIAL)) {
                                turn.next("text_delta");
                                var before = session.processes();
                                assertThat(EngineProcesses.pids(session, engine())).isNotEmpty();

                                session.end().expect(200);

                                turn.readToEnd();
                                await().atMost(Duration.ofSeconds(30))
                                        .until(() -> EngineProcesses.survivors(before).isEmpty());
                            }
                            assertThat(session.processes()).isEmpty();
                            server().model().release();
                        });
    }
}
