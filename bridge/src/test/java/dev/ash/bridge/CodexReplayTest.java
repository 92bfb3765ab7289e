package dev.ash.bridge;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the codex engine with recorded lines of the real CLI, and with synthetic ones. */
class CodexReplayTest {
    private static final List<String> OPENING =
            List.of(
                    ">> {\"id\":0,\"method\":\"initialize\"}",
                    "<< {\"id\":0,\"result\":{}}",
                    ">> {\"method\":\"initialized\"}",
                    ">> {\"id\":1,\"method\":\"thread/start\"}",
                    "<< {\"id\":1,\"result\":{\"thread\":{\"id\":\"th\"},\"model\":\"m\"}}",
                    ">> {\"id\":2,\"method\":\"turn/start\"}",
                    "<< {\"id\":2,\"result\":{\"turn\":{\"id\":\"tu\"}}}",
                    "<< {\"method\":\"turn/started\",\"params\":{\"threadId\":\"th\",\"turn\":{\"id\":\"tu\"}}}");

    private static final String COMPLETED =
            "<< {\"method\":\"turn/completed\",\"params\":{\"threadId\":\"th\",\"turn\":{\"id\":\"tu\",\"status\":\"completed\",\"durationMs\":5}}}";

    private static final String STEER =
            "{\"cmd\":\"steer\",\"id\":\"1\",\"turnId\":\"t1\",\"prompt\":\"faster\"}";

    @TempDir private Path directory;
    private TestBridge bridge;
    private RawClient client;

    private void play(Path lines, String config) throws IOException {
        var program = directory.resolve("codex");
        Files.write(program, resource("replay-codex.py"));
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
        bridge =
                TestBridge.open(
                        directory,
                        Map.of(
                                "ASH_ENGINE",
                                "codex",
                                "CODEX_EXECUTABLE",
                                program.toString(),
                                "REPLAY",
                                lines.toString(),
                                "REPLAY_LOG",
                                directory.resolve("log").toString()));
        client = bridge.client();
        client.send(
                "{\"cmd\":\"configure\",\"sessionId\":\"%s\"%s}"
                        .formatted(TestBridge.SESSION, config));
    }

    private void playSample(String name, String config) throws IOException {
        play(Files.write(directory.resolve("lines"), resource("codex/" + name)), config);
    }

    private void playScript(String... lines) throws IOException {
        var all = Stream.concat(OPENING.stream(), Stream.of(lines)).toList();
        play(Files.write(directory.resolve("lines"), all), "");
    }

    private static byte[] resource(String name) throws IOException {
        try (InputStream in =
                Objects.requireNonNull(CodexReplayTest.class.getResourceAsStream("/" + name))) {
            return in.readAllBytes();
        }
    }

    @AfterEach
    void close() throws IOException {
        client.close();
        bridge.close();
    }

    private List<RawClient.Event> turn(String more) throws IOException {
        client.query("go", ",\"turnId\":\"t1\"" + more);
        return client.untilDone().stream().filter(event -> !event.kind().equals("done")).toList();
    }

    private static List<String> messageTypes(List<RawClient.Event> events) {
        return events.stream()
                .filter(event -> event.kind().equals("message"))
                .map(RawClient.Event::message)
                .map(
                        message -> {
                            var blocks = message.at("message").elements("content");
                            var block =
                                    blocks.isEmpty() ? "" : " " + blocks.getFirst().text("type");
                            var event = message.at("event").text("type");
                            return message.text("type")
                                    + block
                                    + (event.isEmpty() ? "" : " " + event);
                        })
                .toList();
    }

    private List<String> requests() throws IOException {
        return Files.readAllLines(directory.resolve("log"));
    }

    @Test
    void translatesTurnAndIncludesOriginalLines() throws IOException {
        playSample("appserver-basic.jsonl", "");

        var events = turn("");

        assertThat(messageTypes(events))
                .containsExactly(
                        "system",
                        "system",
                        "assistant thinking",
                        "assistant text",
                        "assistant tool_use",
                        "user tool_result",
                        "assistant tool_use",
                        "user tool_result",
                        "assistant text",
                        "result");
        assertThat(events.getFirst().message().text("subtype")).isEqualTo("init");
        assertThat(events.get(1).message().text("method")).isEqualTo("warning");
        var written =
                Files.readAllLines(directory.resolve("lines")).stream()
                        .filter(line -> line.startsWith("<< "))
                        .map(line -> line.substring(3))
                        .toList();
        for (var event : events) {
            assertThat(written).contains(event.message().at("raw").line());
        }
        var command = events.get(4).message().at("message").elements("content").getFirst();
        assertThat(command.text("name")).isEqualTo("Bash");
        assertThat(command.at("input").line()).isEqualTo("{\"command\":\"cat a.txt\"}");
        var change = events.get(6).message().at("message").elements("content").getFirst();
        assertThat(change.text("name")).isEqualTo("Edit");
        assertThat(change.at("input").text("file_path")).isEqualTo("/srv/x/ws/a.txt");
        var result = events.getLast().message();
        assertThat(result.text("result")).isEqualTo("done and done");
        assertThat(result.at("usage").line())
                .isEqualTo(
                        "{\"input_tokens\":300,\"cache_creation_input_tokens\":0,"
                                + "\"cache_read_input_tokens\":60,\"output_tokens\":90}");
        assertThat(result.json().raw("num_turns")).hasToString("Optional[3]");
    }

    @Test
    void streamsDeltasIfRequestedBeforeCompleteMessage() throws IOException {
        playSample("appserver-basic.jsonl", "");

        var messageTypes = messageTypes(turn(",\"includePartialMessages\":true"));

        assertThat(
                        messageTypes.subList(
                                messageTypes.indexOf("assistant thinking"), messageTypes.size()))
                .startsWith(
                        "assistant thinking",
                        "stream_event content_block_stop",
                        "stream_event message_delta",
                        "stream_event message_stop",
                        "stream_event message_start",
                        "stream_event content_block_start",
                        "stream_event content_block_delta",
                        "stream_event content_block_delta",
                        "stream_event content_block_delta",
                        "assistant text",
                        "stream_event content_block_stop",
                        "stream_event message_delta",
                        "stream_event message_stop");
    }

    @Test
    void asksAndAnswersApprovals() throws IOException {
        playSample("appserver-approval.jsonl", ",\"permissionMode\":\"ask\"");
        client.query("go", ",\"turnId\":\"t1\"");

        var first = client.nextOf("approval");
        assertThat(first.text("tool")).isEqualTo("Bash");
        assertThat(first.at("input").text("command")).isEqualTo("touch approved.txt && echo made");
        client.send(
                "{\"cmd\":\"approve\",\"id\":\"%s\",\"allow\":true}".formatted(first.text("id")));
        var second = client.nextOf("approval");
        client.send(
                "{\"cmd\":\"approve\",\"id\":\"%s\",\"allow\":false,\"message\":\"no!\"}"
                        .formatted(second.text("id")));
        var rest = client.untilDone();

        assertThat(requests())
                .contains(
                        "{\"id\":0,\"result\":{\"decision\":\"accept\"}}",
                        "{\"id\":1,\"result\":{\"decision\":\"decline\"}}")
                .anyMatch(line -> line.contains("turn/steer") && line.contains("no!"));
        var result = rest.get(rest.size() - 2).message();
        assertThat(result.elements("permission_denials").getFirst().text("tool_name"))
                .isEqualTo("Bash");
        assertThat(rest).noneMatch(event -> event.kind().equals("approval_gone"));
    }

    /** Otherwise the CLI may call the model for the answer alone, and again for the remark. */
    @Test
    void writesRemarkBeforeAnswer() throws IOException {
        playSample("appserver-approval.jsonl", ",\"permissionMode\":\"ask\"");
        client.query("go", ",\"turnId\":\"t1\"");
        for (int i = 0; i < 2; i++) {
            client.send(
                    "{\"cmd\":\"approve\",\"id\":\"%s\",\"allow\":false,\"message\":\"no!\"}"
                            .formatted(client.nextOf("approval").text("id")));
        }
        client.untilDone();

        var order =
                requests().stream()
                        .map(CodexReplayTest::kind)
                        .filter(kind -> !kind.isEmpty())
                        .toList();
        assertThat(order).containsExactly("steer", "answer 0", "steer", "answer 1");
    }

    private static String kind(String line) {
        if (line.contains("turn/steer")) {
            return "steer";
        }
        return line.contains("\"decision\":\"decline\"")
                ? "answer " + line.charAt("{\"id\":".length())
                : "";
    }

    @Test
    void asksForMcpToolByName() throws IOException {
        playSample("appserver-mcp.jsonl", ",\"permissionMode\":\"ask\"");
        client.query("go", ",\"turnId\":\"t1\"");

        var question = client.nextOf("approval");

        assertThat(question.text("tool")).isEqualTo("mcp__echo__echo");
        assertThat(question.at("input").line()).isEqualTo("{\"text\":\"yo\"}");
    }

    @Test
    void reportsApiErrorsAsResults() throws IOException {
        playSample("appserver-error.jsonl", "");

        var first = turn("").getLast().message();
        client.query("go on", ",\"turnId\":\"t2\"");
        var all = client.untilDone();
        var second = all.get(all.size() - 2).message();

        assertThat(first.json().isTrue("is_error")).isTrue();
        assertThat(first.text("result")).isEqualTo("The model's API rejected the call: bad thing");
        assertThat(second.text("result")).contains("status 429", "later");
    }

    /** The CLI may retry a rejected call before it reads the interrupt. */
    @Test
    void interruptsRetriedCallOnce() throws IOException {
        var rejectedCall =
                "<< {\"method\":\"error\",\"params\":{\"threadId\":\"th\",\"turnId\":\"tu\",\"willRetry\":true,"
                        + "\"error\":{\"message\":\"Reconnecting... 1/5\",\"codexErrorInfo\":"
                        + "{\"responseStreamDisconnected\":{\"httpStatusCode\":401}},"
                        + "\"additionalDetails\":\"unexpected status 401 Unauthorized: no key, url: http://x/\"}}}";
        playScript(
                rejectedCall,
                rejectedCall,
                ">> {\"id\":3,\"method\":\"turn/interrupt\"}",
                "<< {\"id\":3,\"result\":{}}",
                COMPLETED.replace("\"completed\",", "\"interrupted\","),
                ">> {\"id\":4,\"method\":\"thread/backgroundTerminals/clean\"}",
                "<< {\"id\":4,\"result\":{}}");

        var result = turn("").getLast().message();

        assertThat(result.json().isTrue("is_error")).isTrue();
        assertThat(result.text("result"))
                .isEqualTo(
                        "The model's API rejected the call: unexpected status 401 Unauthorized: no"
                                + " key");
        assertThat(requests()).filteredOn(line -> line.contains("turn/interrupt")).hasSize(1);
    }

    @Test
    void ignoresGarbageAndForwardsUnknownNotifications() throws IOException {
        playScript(
                "!! Segmentation fault (not really)",
                "!! [1,2]",
                "!! {\"neither\":1}",
                "<< {\"method\":\"brand/new\",\"params\":{\"threadId\":\"th\",\"x\":1}}",
                "<< {\"method\":\"brand/new\",\"params\":{\"threadId\":\"another\"}}",
                "<< {\"id\":77,\"method\":\"please/help\",\"params\":{}}",
                ">> {\"id\":77,\"error\":{}}",
                COMPLETED);

        var events = turn("");

        assertThat(messageTypes(events)).containsExactly("system", "system", "result");
        assertThat(events.get(1).message().text("method")).isEqualTo("brand/new");
        assertThat(requests())
                .contains(
                        "{\"id\":77,\"error\":{\"code\":-32601,\"message\":\"Ash does not support"
                                + " please/help\"}}");
    }

    @Test
    void exitEndsTurnImmediatelyAndKeepsQuestionOpen() throws IOException {
        playScript(
                "<< {\"method\":\"item/started\",\"params\":{\"threadId\":\"th\",\"turnId\":\"tu\",\"item\":{\"type\":\"commandExecution\",\"id\":\"c1\",\"command\":\"make\"}}}",
                "<< {\"id\":5,\"method\":\"item/commandExecution/requestApproval\",\"params\":{\"threadId\":\"th\",\"turnId\":\"tu\",\"itemId\":\"c1\"}}",
                ">> {\"id\":5,\"result\":{}}",
                "## 3");
        client.send(
                "{\"cmd\":\"configure\",\"sessionId\":\"%s\",\"permissionMode\":\"ask\"}"
                        .formatted(TestBridge.SESSION));
        client.query("go", ",\"turnId\":\"t1\"");
        var question = client.nextOf("approval");
        client.send(
                "{\"cmd\":\"approve\",\"id\":\"%s\",\"allow\":true}"
                        .formatted(question.text("id")));

        var rest = client.untilDone();

        var error = rest.get(rest.size() - 2);
        assertThat(error.kind()).isEqualTo("error");
        assertThat(error.text("error")).contains("exited with code 3");
        assertThat(error.json().isTrue("engineGone")).isTrue();
        assertThat(rest).noneMatch(event -> event.kind().equals("approval_gone"));
    }

    @Test
    void reportsWhyCodexDoesNotStart() throws IOException {
        play(Files.writeString(directory.resolve("lines"), "## 4\n"), "");

        var events = turn("");

        assertThat(events.getLast().text("error"))
                .contains("Codex did not start", "exited with code 4");
    }

    @Test
    void interruptTerminatesBackgroundCommands() throws IOException {
        playScript(
                "<< {\"method\":\"item/started\",\"params\":{\"threadId\":\"th\",\"turnId\":\"tu\",\"item\":{\"type\":\"commandExecution\",\"id\":\"c1\",\"command\":\"/bin/bash -lc 'sleep 9'\"}}}",
                ">> {\"id\":3,\"method\":\"turn/interrupt\"}",
                "<< {\"id\":3,\"result\":{}}",
                COMPLETED.replace("\"completed\",", "\"interrupted\","),
                ">> {\"id\":4,\"method\":\"thread/backgroundTerminals/clean\"}",
                "<< {\"id\":4,\"result\":{}}");
        client.query("go", ",\"turnId\":\"t1\"");
        client.until(event -> event.data().contains("tool_use"));

        client.send("{\"cmd\":\"interrupt\",\"turnId\":\"t1\"}");

        assertThat(messageTypes(client.untilDone()))
                .containsExactly("user tool_result", "user text", "result");
    }

    @Test
    void launchIgnoresSettingsOfProject() throws IOException {
        playScript(COMPLETED);
        Files.createDirectories(bridge.home().resolve(".codex"));
        Files.writeString(bridge.home().resolve(".codex/config.toml"), "trust = \"me\"");
        turn("");

        var log = String.join("\n", requests());

        assertThat(log)
                .contains("\"--disable\", \"plugins\"", "\"--disable\", \"hooks\"")
                .contains("model_provider=\\\"ash\\\"")
                .contains("\"approvalPolicy\":\"never\"", "\"sandbox\":\"read-only\"")
                .contains("\"sandboxPolicy\":{\"type\":\"dangerFullAccess\"}")
                .doesNotContain("\"jsonrpc\"");
        assertThat(bridge.home().resolve(".codex/config.toml")).hasContent("");
    }

    @Test
    void addsMessageToRunningTurn() throws IOException {
        playScript(
                ">> {\"id\":3,\"method\":\"turn/steer\"}",
                "<< {\"id\":3,\"result\":{\"turnId\":\"tu\"}}",
                ">> {\"id\":9,\"method\":\"never\"}");
        client.query("go", ",\"turnId\":\"t1\"");
        client.nextOf("message");

        client.send(STEER);
        var events = client.until(event -> event.kind().equals("steered"));

        assertThat(events.getLast().json().raw("why")).isEmpty();
        assertThat(events)
                .filteredOn(event -> event.data().contains("\"faster\""))
                .extracting(event -> event.message().at("message").text("role"))
                .containsExactly("user");
        assertThat(requests())
                .anyMatch(
                        line ->
                                line.contains("turn/steer")
                                        && line.contains("\"expectedTurnId\":\"tu\"")
                                        && line.contains("\"text\":\"faster\""));
    }

    @Test
    void reportsWhyMessageWasNotAdded() throws IOException {
        playScript(
                ">> {\"id\":3,\"method\":\"turn/steer\"}",
                "<< {\"id\":3,\"error\":{\"code\":-32600,\"message\":\"no active turn\"}}",
                COMPLETED);
        client.query("go", ",\"turnId\":\"t1\"");
        client.nextOf("message");

        client.send(STEER);

        assertThat(client.nextOf("steered").text("why")).contains("no active turn");
    }

    @Test
    void cannotDeferQuestions() throws IOException {
        playScript(">> {\"id\":9,\"method\":\"never\"}");
        client.query("go", ",\"turnId\":\"t1\"");
        client.nextOf("message");

        client.send("{\"cmd\":\"rest\"}");

        var resting = client.nextOf("resting");
        assertThat(resting.json().isTrue("ready")).isFalse();
        assertThat(resting.text("why")).contains("Codex cannot defer a question");
    }
}
