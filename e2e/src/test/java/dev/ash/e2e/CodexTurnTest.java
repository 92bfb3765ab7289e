package dev.ash.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.JsonNode;

/** Tests turns of the real Codex CLI on a real server with the scripted model API. */
@NeedsCodex
class CodexTurnTest {
    private static final String INSTRUCTIONS = "Instructions of the agent, said once.";

    @RegisterExtension
    static final AshExtension ash =
            AshExtension.codex()
                    .streamChunkBytes(5)
                    .agent(
                            "coder",
                            Map.of(
                                    "CLAUDE.md",
                                    INSTRUCTIONS,
                                    "echo.py",
                                    Resources.text("engines/mcp_echo.py"),
                                    ".mcp.json",
                                    "{\"mcpServers\":{\"echo\":{\"command\":\"python3\",\"args\":[\"/workspace/echo.py\"],"
                                            + "\"env\":{\"GREETING\":\"${WORD:-none}\"}}}}"));

    @Test
    void streamsTextDeltasAndFullText() {
        var session = ash.session("coder");

        List<Frame> frames;
        try (var stream =
                session.send(
                        "SAY:grüße 🚀 日本語 in pieces", Map.of("includePartialMessages", true))) {
            frames = stream.rest();
        }

        var deltas = new StringBuilder();
        Frame.only("text_delta", frames)
                .forEach(frame -> deltas.append(frame.json().path("delta").asString()));
        assertThat(deltas.toString()).isEqualTo("grüße 🚀 日本語 in pieces");
        assertThat(Frame.only("text_delta", frames)).hasSizeGreaterThan(1);
        assertThat(Frame.said(frames)).isEqualTo("grüße 🚀 日本語 in pieces");
        assertThat(Frame.names(frames)).doesNotContain("error").endsWith("done");
        assertThat(messages(frames).getFirst().path("subtype").asString()).isEqualTo("init");
        var result = messages(frames).getLast();
        assertThat(result.path("type").asString()).isEqualTo("result");
        assertThat(result.path("is_error").asBoolean()).isFalse();
        assertThat(result.path("result").asString()).isEqualTo("grüße 🚀 日本語 in pieces");
        assertThat(result.at("/usage/input_tokens").asInt()).isEqualTo(6);
        assertThat(result.at("/usage/cache_read_input_tokens").asInt()).isEqualTo(4);
        assertThat(result.at("/raw/method").asString()).isEqualTo("turn/completed");
        assertThat(result.path("session_id")).isEqualTo(result.at("/raw/params/threadId"));
        var usage = ash.api().get(session.path()).expect(200).at("/session/usage");
        assertThat(usage.path("inputTokens").asInt()).isEqualTo(6);
        assertThat(usage.path("cacheReadTokens").asInt()).isEqualTo(4);
        assertThat(usage.path("outputTokens").asInt()).isEqualTo(5);
        assertThat(usage.path("costUsd").asDouble()).isPositive();
    }

    @Test
    void runsCommandInWorkspaceAndReturnsOutputToModel() {
        var session = ash.session("coder");

        var frames =
                session.ask(
                        run("echo from-the-tool > made.txt && cat made.txt; exit 3")
                                + "\nSAY:and that was it");

        var call = Frame.only("tool_use", frames).getFirst().json();
        assertThat(call.path("name").asString()).isEqualTo("Bash");
        assertThat(call.at("/input/command").asString())
                .isEqualTo("echo from-the-tool > made.txt && cat made.txt; exit 3");
        var result = Frame.only("tool_result", frames).getFirst().json();
        assertThat(result.path("tool_use_id")).isEqualTo(call.path("id"));
        assertThat(result.path("content").asString()).isEqualTo("from-the-tool\n");
        assertThat(result.path("is_error").asBoolean()).isTrue();
        assertThat(session.workspaceFile("made.txt")).isEqualTo("from-the-tool\n");
        assertThat(Frame.said(frames)).isEqualTo("and that was it");
        assertThat(ash.model().turns().getLast().toolResults().getLast().text())
                .contains("from-the-tool");
    }

    @Test
    void sendsInstructionsOnceAfterColdResume() {
        var session = ash.session("coder");
        session.ask("SAY:remember the number 4711");
        for (int i = 1; i <= 2; i++) {
            session.post("stop").expect(200);
            session.post("resume").expect(200);

            session.ask("SAY:what was the number? " + i);

            var everything = ash.model().awaitTurn("what was the number? " + i).everything();
            assertThat(everything).contains("remember the number 4711");
            assertThat(everything.split(INSTRUCTIONS, -1)).hasSize(2);
        }
    }

    @Test
    void interruptLeavesNoProcessAndNextTurnWorks() {
        var session = ash.session("coder");
        try (var turn = session.send(run("echo up > up; exec sleep 4711") + "\nSAY:no")) {
            turn.next("tool_use");
            session.awaitWorkspaceFile("up", "up\n");
            assertThat(sleepers(session)).isNotEmpty();

            assertThat(session.post("interrupt").expect(200).at("/interrupted").asBoolean())
                    .isTrue();

            var rest = turn.rest();
            assertThat(Frame.only("tool_result", rest)).hasSize(1);
            assertThat(messages(rest).getLast().path("terminal_reason").asString())
                    .isEqualTo("aborted_streaming");
        }
        assertThat(sleepers(session)).isEmpty();
        assertThat(Frame.said(session.ask("SAY:on we go"))).isEqualTo("on we go");
    }

    private static List<Processes.Found> sleepers(TestSession session) {
        return session.processes().stream()
                .filter(found -> found.command().contains("sleep 4711"))
                .toList();
    }

    @Test
    void killedEngineFailsTurnAndIsReopened() {
        var session = ash.session("coder");
        session.ask("SAY:before the crash");
        try (var turn = session.send("HOLD", Map.of("includePartialMessages", true))) {
            turn.next("text_delta");

            killCodex(session);

            assertThat(Frame.names(turn.rest())).endsWith("error", "done");
        }
        ash.model().release();
        session.post("resume").expect(200);
        assertThat(Frame.said(session.ask("SAY:after the crash"))).isEqualTo("after the crash");
        assertThat(ash.model().awaitTurn("SAY:after the crash").everything())
                .contains("before the crash");
    }

    @Test
    void apiErrorFailsTurnWithMessage() {
        var session = ash.session("coder");
        for (var status : List.of("400", "401", "404", "429")) {
            var frames = session.ask("STATUS:" + status);

            var calls =
                    ash.model().requests().stream()
                            .filter(call -> call.everything().contains("STATUS:" + status))
                            .count();
            var result = messages(frames).getLast();
            assertThat(result.path("is_error").asBoolean()).as(status).isTrue();
            assertThat(result.path("result").asString())
                    .startsWith("The model's API rejected the call")
                    .doesNotContain("127.0.0.1");
            var end = result.at("/raw/params/turn/status").asString();
            if (status.equals("401") || status.equals("404")) {
                // The CLI stops retrying after six calls. It may have sent its second one, about
                // 200 ms after the first, before it receives the interrupt.
                assertThat(end).as("interrupted by Ash").isEqualTo("interrupted");
                assertThat(calls).as(status).isBetween(1L, 5L);
            } else {
                assertThat(end).as("failed in the CLI").isEqualTo("failed");
                assertThat(calls).as(status).isEqualTo(1);
            }
        }
        assertThat(Frame.said(session.ask("SAY:still here"))).isEqualTo("still here");
    }

    @Test
    void enforcesBudgetsInTokensAndInDollars() {
        var session = ash.session(Map.of("agent", "coder", "maxTokens", 10));
        assertThat(Frame.said(session.ask("SAY:one"))).isEqualTo("one");

        var refused = messages(session.ask("SAY:two")).getLast();

        assertThat(refused.path("result").asString()).contains("maxTokens");
        assertThat(ash.model().turns()).noneMatch(turn -> turn.everything().contains("SAY:two"));

        var cheap = ash.session(Map.of("agent", "coder", "maxBudgetUsd", 0.000001));
        assertThat(Frame.said(cheap.ask("SAY:three"))).isEqualTo("three");
        assertThat(messages(cheap.ask("SAY:four")).getLast().path("result").asString())
                .contains("maxBudgetUsd");
    }

    @Test
    void callsToolOfMcpServer() {
        var session =
                ash.session(Map.of("agent", "coder", "extraEnv", Map.of("WORD", "hello there")));

        var frames = session.ask("TOOL:mcp__echo/echo {\"text\":\"yo\"}\nSAY:echoed");

        var call = Frame.only("tool_use", frames).getFirst().json();
        assertThat(call.path("name").asString()).isEqualTo("mcp__echo__echo");
        assertThat(Frame.only("tool_result", frames).getFirst().data()).contains("hello there yo");
        assertThat(Frame.said(frames)).isEqualTo("echoed");
    }

    @Test
    void forkContinuesFromTurnAndLeavesOriginalUnchanged() {
        var session = ash.session("coder");
        session.ask("SAY:first plum");
        var first = session.messages().getLast().path("turnId").asString();
        session.ask("SAY:second plum");

        var copy =
                ash.api()
                        .post(session.path() + "/fork", Map.of("turnId", first))
                        .expect(201)
                        .at("/session/id")
                        .asString();
        TestSession.of(ash.server(), copy).ask("SAY:copy");
        session.ask("SAY:original");

        assertThat(ash.model().awaitTurn("SAY:copy").everything())
                .contains("first plum")
                .doesNotContain("second plum");
        assertThat(ash.model().awaitTurn("SAY:original").everything())
                .contains("first plum", "second plum")
                .doesNotContain("SAY:copy");
    }

    @Test
    void rejectsUnsupportedOptions() {
        var session = ash.session("coder");
        try (var turn = session.send("SAY:never", Map.of("maxTurns", 3))) {
            var frames = turn.rest();

            assertThat(Frame.names(frames)).endsWith("error", "done");
            assertThat(Frame.only("error", frames).getFirst().data())
                    .contains("maxTurns", "claude");
        }
        assertThat(Frame.said(session.ask("SAY:fine"))).isEqualTo("fine");
    }

    @Test
    void sendsImageToModel() {
        var session = ash.session("coder");
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

        assertThat(ash.model().awaitTurn("SAY:a dot").body().toString())
                .contains("data:image/png;base64,");
    }

    static String run(String command) {
        return Script.tool("exec_command", Map.of("cmd", command, "yield_time_ms", 30_000));
    }

    /** Returns the host PID of this session's CLI. */
    static long codexPid(TestSession session) {
        return session.processes().stream()
                .filter(found -> found.command().contains("/codex app-server"))
                .filter(found -> !found.command().contains("bwrap "))
                .findFirst()
                .orElseThrow()
                .pid();
    }

    static void killCodex(TestSession session) {
        ProcessHandle.of(codexPid(session)).orElseThrow().destroyForcibly();
    }

    static List<JsonNode> messages(List<Frame> frames) {
        return Frame.only("message", frames).stream().map(Frame::json).toList();
    }
}
