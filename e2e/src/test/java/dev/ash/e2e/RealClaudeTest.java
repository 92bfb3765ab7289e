package dev.ash.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Tests turns of the real Claude Code CLI on a real server with the scripted model API. */
@NeedsClaude
class RealClaudeTest {
    /**
     * Types of control messages between the CLI and its driver; all other lines are messages of the
     * session.
     */
    private static final Set<String> CONTROL_TYPES =
            Set.of(
                    "control_request",
                    "control_response",
                    "control_cancel_request",
                    "keep_alive",
                    "transcript_mirror");

    private static final Predicate<JsonNode> NONE = line -> false;

    /** Lines that are sent only if the turn requests partial messages. */
    private static final Predicate<JsonNode> PARTIAL =
            line ->
                    line.path("type").asString().equals("stream_event")
                            || line.path("status").asString("").equals("requesting");

    @RegisterExtension
    static final AshExtension ash = AshExtension.claudeWithTee().streamChunkBytes(5).agent("hello");

    @Test
    void messagesEqualCliOutputByteForByte() {
        var session = ash.session("hello");
        var messages = new ArrayList<Frame>();

        messages.addAll(session.ask("SAY:grüße 🚀 日本語 \u2028 \"quoted\" \\ back"));
        messages.addAll(session.ask("TOOL:Bash {\"command\":\"printf 'a\\\\tb'\"}"));
        messages.addAll(session.ask("MANY:40"));
        messages.addAll(session.ask("STATUS:529 1"));

        var received = Frame.only("message", messages).stream().map(Frame::data).toList();
        await().atMost(Duration.ofMinutes(1))
                .untilAsserted(() -> assertThat(received).isEqualTo(cliOutput(session, PARTIAL)));
        assertThat(Frame.only("done", messages)).hasSize(4);
        assertThat(Frame.said(messages)).contains("grüße 🚀 日本語 \u2028 \"quoted\" \\ back");
    }

    @Test
    void partialMessagesEqualCliOutput() {
        var session = ash.session("hello");

        List<Frame> frames;
        try (var stream =
                session.send("SAY:in many little pieces", Map.of("includePartialMessages", true))) {
            frames = stream.rest();
        }

        var received = Frame.only("message", frames).stream().map(Frame::data).toList();
        await().atMost(Duration.ofMinutes(1))
                .untilAsserted(() -> assertThat(received).isEqualTo(cliOutput(session, NONE)));
        var deltas = new StringBuilder();
        Frame.only("text_delta", frames)
                .forEach(frame -> deltas.append(frame.json().path("delta").asString()));
        assertThat(deltas.toString()).isEqualTo("in many little pieces");
    }

    @Test
    void usesOneProcessAndLaterTurnsAreFaster() throws IOException {
        var session = ash.session("hello");
        var firstEvent = new ArrayList<Double>();
        for (int turn = 1; turn <= 10; turn++) {
            var start = System.nanoTime();
            try (var stream = session.send("SAY:turn " + turn)) {
                stream.next("message");
                firstEvent.add((System.nanoTime() - start) / 1e6);
                assertThat(Frame.said(stream.rest())).isEqualTo("turn " + turn);
            }
        }

        assertThat(Files.readAllLines(session.sandbox().resolve("home/engine-starts"))).hasSize(1);
        assertThat(ash.model().turns().getLast().messageCount()).isGreaterThanOrEqualTo(19);
        System.out.println(
                "milliseconds to the first event, turn by turn: "
                        + firstEvent.stream().map("%.1f"::formatted).toList());
        // Use the median: concurrent tests may delay any turn.
        var later = firstEvent.subList(1, 10).stream().sorted().toList().get(4);
        assertThat(later).isLessThan(firstEvent.getFirst() / 5);
    }

    @Test
    void conversationContinuesAfterColdResume() {
        var session = ash.session("hello");
        session.ask("SAY:remember the number 4711");
        for (int i = 1; i <= 4; i++) {
            session.post("stop").expect(200); // immediately: the CLI writes its transcript later
            session.post("resume").expect(200);

            session.ask("SAY:what was the number? " + i);

            var request = ash.model().awaitTurn("what was the number? " + i);
            assertThat(request.everything()).contains("remember the number 4711");
            assertThat(request.messageCount()).isGreaterThan(2 * i);
        }
    }

    @Test
    void interruptEndsTurnAndNextTurnWorks() {
        var session = ash.session("hello");
        try (var turn = session.send("SLOW:2000 10", Map.of("includePartialMessages", true))) {
            turn.next("text_delta");

            assertThat(session.post("interrupt").expect(200).at("/interrupted").asBoolean())
                    .isTrue();

            var results =
                    Frame.only("message", turn.rest()).stream()
                            .filter(frame -> frame.type().equals("result"))
                            .toList();
            assertThat(results).hasSize(1);
        }
        assertThat(Frame.said(session.ask("SAY:on we go"))).isEqualTo("on we go");
    }

    @Test
    void killedEngineFailsTurnAndSessionResumes() throws IOException {
        var session = ash.session("hello");
        session.ask("SAY:before the crash");
        try (var turn = session.send("HOLD", Map.of("includePartialMessages", true))) {
            turn.next("text_delta");
            var pid = Files.readString(session.sandbox().resolve("home/engine-starts")).strip();

            session.exec("kill -9 " + pid);

            assertThat(Frame.names(turn.rest())).endsWith("error", "done");
        }
        ash.model().release();
        if (session.status().equals("error")) {
            session.post("resume").expect(200);
        }
        assertThat(Frame.said(session.ask("SAY:after the crash"))).isEqualTo("after the crash");
        assertThat(ash.model().awaitTurn("SAY:after the crash").everything())
                .contains("before the crash");
    }

    @Test
    void sendsApiErrorsAsReportedByCli() {
        var session =
                ash.session(
                        Map.of(
                                "agent",
                                "hello",
                                "extraEnv",
                                // One for the cut, one for a pooled connection that closes on
                                // reuse.
                                Map.of("CLAUDE_CODE_MAX_RETRIES", "2")));
        for (int status : new int[] {401, 429, 529}) {
            var frames = session.ask("STATUS:" + status);

            assertThat(Frame.only("message", frames))
                    .anySatisfy(
                            frame -> {
                                assertThat(frame.type()).isEqualTo("result");
                                assertThat(frame.json().path("is_error").asBoolean()).isTrue();
                            });
        }
        assertThat(Frame.said(session.ask("CUT"))).isEqualTo("whole after the cut");
    }

    @Test
    void sendsImagesToModel() {
        var session = ash.session("hello");
        var pixel =
                "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
        var image =
                Map.of(
                        "type",
                        "image",
                        "source",
                        Map.of("type", "base64", "media_type", "image/png", "data", pixel));

        try (var stream =
                session.send(
                        List.of(image, Map.of("type", "text", "text", "SAY:a dot")), Map.of())) {
            assertThat(Frame.said(stream.rest())).isEqualTo("a dot");
        }

        assertThat(ash.model().awaitTurn("SAY:a dot").body().toString()).contains("\"image/png\"");
    }

    /** Returns the CLI's output without control messages and excluded lines. */
    private static List<String> cliOutput(TestSession session, Predicate<JsonNode> excluded) {
        var mapper = new JsonMapper();
        Predicate<JsonNode> isControl =
                line ->
                        CONTROL_TYPES.contains(line.path("type").asString())
                                || line.path("isReplay").asBoolean(false);
        try (var lines = Files.lines(session.sandbox().resolve("home/engine-stdout.jsonl"))) {
            return lines.filter(line -> !isControl.or(excluded).test(mapper.readTree(line)))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
