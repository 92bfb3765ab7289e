package dev.ash.e2e.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.e2e.AshExtension;
import dev.ash.e2e.NeedsClaude;
import dev.ash.e2e.Script;
import dev.ash.e2e.TestSession;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.JsonNode;

/** Tests sessions of the real CLI in a project directory, started, used and ended by a device. */
@NeedsClaude
class SessionConformanceTest {
    private static final String TURN_ENDS = "/events?type=turn_complete&wait=30000";

    @RegisterExtension
    static final AshExtension ash = AshExtension.claude().gateway().sampleProject();

    private static Phone phone;
    private static JsonNode ready;
    private static String session;

    @BeforeAll
    static void start() {
        phone = Phone.enter(ash.pair());
        ready =
                phone.ask(
                        "session_start",
                        Phone.starting("claude-code", ash.project().directory()),
                        "session_ready");
        session = ready.path("session_id").asString();
    }

    @AfterAll
    static void stop() {
        phone.close();
    }

    @TestFactory
    Stream<DynamicTest> sendsSessionReadyWithEveryField() {
        return Checks.of("session_ready", ready)
                .text("session_id")
                .equal("agent", "claude-code")
                .equal("working_directory", ash.project().directory())
                .equal("branch", "main")
                .equal("status", "ready")
                .all();
    }

    @Test
    void runsADeployedAgentInItsOwnWorkspace() {
        try (var other = Phone.enter(ash.pair())) {
            var payload = Map.of("agent", AshExtension.AGENT, "resume", false);
            var started = other.ask("session_start", payload, "session_ready");
            assertThat(started.path("agent").asString()).isEqualTo(AshExtension.AGENT);
            assertThat(started.path("working_directory").asString()).isEqualTo("/workspace");
            var id = started.path("session_id").asString();
            assertThat(Phone.text(other.turn(id, "SAY:from the garden")))
                    .isEqualTo("from the garden");
            assertThat(ash.model().awaitTurn("from the garden").everything())
                    .contains("You are gardener.");
        }
    }

    @Test
    void joinsASessionStartedElsewhere() {
        var elsewhere = ash.session(AshExtension.AGENT);
        try (var other = Phone.enter(ash.pair())) {
            var joined =
                    other.ask("session_start", Phone.resuming(elsewhere.id()), "session_ready");
            assertThat(joined.path("session_id").asString()).isEqualTo(elsewhere.id());
            assertThat(Phone.text(other.turn(elsewhere.id(), "SAY:joined"))).isEqualTo("joined");
        }
        elsewhere.end().expect(200);
    }

    @Test
    void resumesAStoppedSessionWithItsConversation() {
        var id = phone.start(AshExtension.AGENT, null);
        phone.turn(id, "SAY:before the stop");
        var stopped = TestSession.of(ash.server(), id);
        // The text ends before its turn, and a stop during a turn kills the engine.
        var turns = ash.api().get(stopped.path() + TURN_ENDS).expect(200);
        assertThat(turns.at("/events")).isNotEmpty();
        stopped.post("stop").expect(200);
        var ended = phone.await("session_end", id).path("payload");
        assertThat(ended.path("reason").asString()).isEqualTo("user_request");
        phone.ask("session_start", Phone.resuming(id), "session_ready");
        phone.say(id, "SAY:after the stop");
        phone.awaitEnd(id);
        assertThat(ash.model().awaitTurn("after the stop").everything())
                .contains("before the stop");
    }

    @Test
    void reportsResumeOfAnUnknownSessionAsSessionNotFound() {
        var unknown = UUID.randomUUID().toString();
        var error =
                phone.assertError(
                        "session_start", Phone.resuming(unknown), "SESSION_NOT_FOUND", false);
        assertThat(error.path("session_id").asString()).isEqualTo(unknown);
    }

    @Test
    void reportsAnUnknownAgentAsAgentError() {
        var error =
                phone.assertError(
                        "session_start", Phone.starting("aider", null), "AGENT_ERROR", true);
        assertThat(error.path("message").asString())
                .contains("aider", "Available: ", "claude-code", AshExtension.AGENT);
    }

    @Test
    void reportsADirectoryOutsideTheRootsAsBridgeError() {
        var error =
                phone.assertError(
                        "session_start",
                        Phone.starting("claude-code", "/etc"),
                        "BRIDGE_ERROR",
                        true);
        assertThat(error.path("message").asString()).contains("/etc", "ASH_PROJECT_ROOTS");
    }

    @TestFactory
    Stream<DynamicTest> answersAMessageWithOneStream() {
        var frames = phone.turn(session, "SAY:a plum a day keeps the doctor away");
        var start = frames.getFirst().path("payload");
        var chunk = frames.get(1).path("payload");
        var end = frames.getLast().path("payload");
        assertThat(frames).hasSizeGreaterThan(3);
        assertThat(Phone.types(frames)).containsOnlyOnce("stream_start", "stream_end");
        assertThat(Phone.types(frames)).startsWith("stream_start", "stream_chunk");
        assertThat(Phone.text(frames)).isEqualTo("a plum a day keeps the doctor away");
        var id = start.path("message_id").asString();
        return Stream.of(
                        Checks.of("stream_start", start)
                                .equal("session_id", session)
                                .text("message_id"),
                        Checks.of("stream_chunk", chunk)
                                .equal("session_id", session)
                                .equal("message_id", id)
                                .text("content")
                                .equal("is_tool_use", false),
                        Checks.of("stream_end", end)
                                .equal("session_id", session)
                                .equal("message_id", id)
                                .equal("finish_reason", "stop"))
                .flatMap(Checks::all);
    }

    @Test
    void endsAStreamBeforeAToolWithToolCall() {
        var id = phone.start("claude-code", ash.project().directory());
        var read = Map.of("file_path", ash.project().directory() + "/notes.txt");
        var frames = phone.turn(id, Script.tool("Read", read) + "\nSAY:read it");
        var ends = Phone.only("stream_end", frames);
        assertThat(ends).hasSize(2);
        assertThat(ends.getFirst().at("/payload/finish_reason").asString()).isEqualTo("tool_call");
        assertThat(ends.getLast().at("/payload/finish_reason").asString()).isEqualTo("stop");
        assertThat(
                        Phone.only("stream_chunk", frames)
                                .getFirst()
                                .at("/payload/is_tool_use")
                                .asBoolean())
                .isTrue();
        assertThat(Phone.types(frames)).contains("tool_call", "tool_result");
    }

    @Test
    void endsATruncatedAnswerWithLength() {
        var id = phone.start("claude-code", ash.project().directory());
        phone.say(id, "FULL:a plum a d");
        var end = phone.await("stream_end", id).path("payload");
        assertThat(end.path("finish_reason").asString()).isEqualTo("length");
        phone.client().send("session_end", "end-1", Map.of("session_id", id));
        phone.await("session_end", id);
    }

    @Test
    void endsTheStreamWithErrorWhenTheModelFails() {
        var id = phone.start("claude-code", ash.project().directory());
        var frames = phone.turn(id, "STATUS:400");
        assertThat(frames.getLast().at("/payload/finish_reason").asString()).isEqualTo("error");
        var error = phone.await("error", id).path("payload");
        assertThat(error.path("code").asString()).isEqualTo("AGENT_ERROR");
        assertThat(error.path("recoverable").asBoolean()).isTrue();
        assertThat(error.path("message").asString()).contains("400");
        assertThat(Phone.text(phone.turn(id, "SAY:still here"))).isEqualTo("still here");
    }

    @Test
    void reportsAnAgentThatDiesAndEndsTheSession() {
        var id = phone.start("claude-code", ash.project().directory());
        phone.say(id, "HOLD");
        phone.await("stream_chunk", id);
        var bridge = TestSession.of(ash.server(), id).bridgePid();
        ProcessHandle.of(bridge).orElseThrow().destroyForcibly();
        var end = phone.await("stream_end", id).path("payload");
        assertThat(end.path("finish_reason").asString()).isEqualTo("error");
        var error = phone.await("error", id).path("payload");
        assertThat(error.path("code").asString()).isEqualTo("AGENT_ERROR");
        assertThat(error.path("recoverable").asBoolean()).isTrue();
        assertThat(phone.await("session_end", id).at("/payload/reason").asString())
                .isEqualTo("error");
        ash.model().release();
        phone.ask("session_start", Phone.resuming(id), "session_ready");
    }

    @Test
    void runsAMessageRepeatedAfterReconnectOnce() {
        var own = Phone.enter(ash.pair());
        var id = own.start("claude-code", ash.project().directory());
        own.say(id, "HOLD");
        own.await("stream_chunk", id);
        own.say(id, "SAY:only once", "msg-001");
        own = own.reconnect();
        own.say(id, "SAY:only once", "msg-001");
        own.say(id, "SAY:and then", "msg-001");
        ash.model().release();
        var history = ash.model().awaitTurn("and then").everything();
        assertThat(history.split("SAY:only once", -1)).hasSize(2);
        own.close();
    }

    @Test
    void queuesMessagesDuringATurnInOrder() {
        var id = phone.start("claude-code", ash.project().directory());
        phone.say(id, "HOLD");
        phone.await("stream_chunk", id);
        IntStream.range(0, 5).forEach(i -> phone.say(id, "SAY:queued " + i));
        ash.model().release();
        for (int i = 0; i < 6; i++) {
            phone.awaitEnd(id);
        }
        assertThat(ash.model().awaitTurn("queued 4").everything())
                .containsSubsequence("queued 0", "queued 1", "queued 2", "queued 3", "queued 4");
    }

    @Test
    void endsTheSessionForAllDevices() {
        var id = phone.start("claude-code", ash.project().directory());
        try (var other = Phone.enter(ash.pair())) {
            other.ask("session_start", Phone.resuming(id), "session_ready");
            phone.client()
                    .send(
                            "session_end",
                            "end-2",
                            Map.of("session_id", id, "reason", "user_request"));
            for (var each : List.of(phone, other)) {
                assertThat(each.await("session_end", id).at("/payload/reason").asString())
                        .isEqualTo("user_request");
            }
        }
        assertThat(TestSession.of(ash.server(), id).status()).isEqualTo("ended");
        phone.assertError(
                "message", Map.of("session_id", id, "content", "x"), "SESSION_NOT_FOUND", false);
    }

    @Test
    void reportsASessionEndedElsewhere() {
        var id = phone.start("claude-code", ash.project().directory());
        TestSession.of(ash.server(), id).end().expect(200);
        assertThat(phone.await("session_end", id).at("/payload/reason").asString())
                .isEqualTo("user_request");
    }

    @Test
    void reportsNewSessionsToEveryDevice() {
        try (var other = Phone.enter(ash.pair())) {
            var id = phone.start("claude-code", ash.project().directory());
            other.await("session_started", id);
            var elsewhere = ash.session(AshExtension.AGENT);
            other.await("session_started", elsewhere.id());
            elsewhere.end().expect(200);
        }
    }
}
