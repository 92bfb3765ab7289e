package dev.ash.bridge;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.protocol.json.RawJson;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CommandEngineTest {
    @TempDir private Path directory;
    private TestBridge bridge;
    private RawClient client;

    /** Opens a bridge whose engine is this shell script. */
    private void open(String promptInput, String configuration, String script) throws IOException {
        var program = directory.resolve("program");
        Files.writeString(program, "#!/bin/sh\n" + script);
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
        var engines =
                """
                {"tool":{"driver":"command","command":%s,"provider":"openai","product":"The tool",
                 "model":"m1","args":["--model={model}"],"prompt":"%s","env":{"KEY":"{model.key}"}}}"""
                        .formatted(RawJson.string(program.toString()), promptInput);
        bridge =
                TestBridge.open(
                        directory,
                        Map.of(
                                "ASH_ENGINE", "tool",
                                "ASH_ENGINES", engines,
                                "OPENAI_API_KEY", "key-1"));
        client = bridge.client();
        client.send(
                "{\"cmd\":\"configure\",\"sessionId\":\"%s\"%s}"
                        .formatted(TestBridge.SESSION, configuration));
    }

    @AfterEach
    void close() throws IOException {
        client.close();
        bridge.close();
    }

    private List<RawClient.Event> turn(String prompt, String more) throws IOException {
        client.query(prompt, more);
        return client.untilDone().stream().filter(event -> !event.kind().equals("done")).toList();
    }

    @Test
    void sendsOutputAsTextAndExitCodeAsResult() throws IOException {
        open("stdin", "", "echo \"$1 $KEY\"; cat; printf '\\033[1m!\\033[0m\\n'");

        var events = turn("hello", "");

        assertThat(MessageTypes.of(events)).containsExactly("system", "assistant text", "result");
        assertThat(MessageTypes.block(events.get(1)).text("text"))
                .isEqualTo("--model=m1 key-1\nhello!");
        var result = events.getLast().message();
        assertThat(result.text("subtype")).isEqualTo("success");
        assertThat(result.at("raw").json().raw("exitCode")).hasToString("Optional[0]");
        assertThat(events.getFirst().message().text("model")).isEqualTo("m1");
    }

    @Test
    void passesPromptAsLastArgument() throws IOException {
        open("argument", "", "cat; echo \"<$2>\"");

        assertThat(turn("-rf x", "").getLast().message().text("result")).isEqualTo("< -rf x>");
        assertThat(turn("x".repeat(200_000), "").getLast().text("error"))
                .contains("prompt as an argument");
    }

    @Test
    void streamsOutput() throws IOException {
        open("stdin", "", "echo one; sleep 0.2; echo two");

        assertThat(MessageTypes.of(turn("go", ",\"includePartialMessages\":true")))
                .startsWith(
                        "system",
                        "stream_event message_start",
                        "stream_event content_block_start",
                        "stream_event content_block_delta")
                .endsWith(
                        "assistant text",
                        "stream_event content_block_stop",
                        "stream_event message_delta",
                        "stream_event message_stop",
                        "result");
    }

    /** Clients show the text once, because the parts equal the message. */
    @Test
    void streamsSameTextAsInMessage() throws IOException {
        open("stdin", "", "printf '\\n one\\n'; cat; printf '\\n\\n two \\n\\n'");

        var events = turn("and", ",\"includePartialMessages\":true");

        var streamed =
                events.stream()
                        .filter(event -> event.data().contains("text_delta"))
                        .map(event -> event.message().at("event").at("delta").text("text"))
                        .collect(Collectors.joining());
        assertThat(streamed).isEqualTo("one\nand\n\n two");
        assertThat(events)
                .filteredOn(event -> event.message().text("type").equals("assistant"))
                .extracting(event -> MessageTypes.block(event).text("text"))
                .containsExactly(streamed);
    }

    @Test
    void putsInstructionsBeforeEveryPrompt() throws IOException {
        open("stdin", ",\"systemPrompt\":\"Be brief.\"", "cat");

        for (int i = 0; i < 2; i++) {
            assertThat(turn("hello", "").getLast().message().text("result"))
                    .startsWith("<instructions>\nBe brief.\n</instructions>")
                    .endsWith("hello");
        }
    }

    @Test
    void reportsFailureWithStderr() throws IOException {
        open("stdin", "", "echo partly; echo 'no key' >&2; exit 3");

        var events = turn("go", "");

        var result = events.getLast().message();
        assertThat(result.json().isTrue("is_error")).isTrue();
        assertThat(result.text("result")).isEqualTo("The tool exited with code 3. Stderr: no key");
        assertThat(MessageTypes.block(events.get(1)).text("text")).isEqualTo("partly");
    }

    @Test
    void interruptStopsProgramAndItsChildren() throws IOException {
        open("stdin", "", "sleep 300 & echo $!; wait");
        client.query("go", ",\"turnId\":\"t1\",\"includePartialMessages\":true");
        var delta = client.until(event -> event.data().contains("text_delta")).getLast();
        var pid = delta.message().at("event").at("delta").text("text").strip();
        var child = ProcessHandle.of(Long.parseLong(pid)).orElseThrow();

        client.send("{\"cmd\":\"interrupt\",\"turnId\":\"t1\"}");
        var events = client.untilDone();

        assertThat(events.get(events.size() - 2).message().text("terminal_reason"))
                .isEqualTo("aborted_streaming");
        assertThat(child.onExit()).succeedsWithin(20, TimeUnit.SECONDS);
    }

    @Test
    void rejectsPermissionsThatNeedQuestions() throws IOException {
        open("stdin", ",\"permissionMode\":\"ask\"", "cat");

        assertThat(turn("go", "").getLast().text("error"))
                .contains("tool does not ask before it acts");
    }

    @Test
    void replacesInvalidUtf8() throws IOException {
        open("stdin", "", "printf 'a\\351b'");

        assertThat(turn("go", "").getLast().message().text("result")).isEqualTo("a\uFFFDb");
    }
}
