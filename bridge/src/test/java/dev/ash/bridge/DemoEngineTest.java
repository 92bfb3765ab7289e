package dev.ash.bridge;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DemoEngineTest {
    @TempDir private Path directory;
    private TestBridge bridge;
    private RawClient client;

    @BeforeEach
    void open() throws IOException {
        bridge = TestBridge.open(directory);
        client = bridge.client();
    }

    @AfterEach
    void close() throws IOException {
        client.close();
        bridge.close();
    }

    @Test
    void identifiesItselfAndUsesRealTool() throws IOException {
        Files.writeString(bridge.workspace().resolve("needle.txt"), "x");

        var messages = messages(client.query("hello").untilDone());

        assertThat(messages)
                .extracting(message -> message.text("type"))
                .containsExactly("system", "assistant", "assistant", "user", "assistant", "result");
        assertThat(messages.get(1).line()).contains("demo engine").contains("no CLAUDE.md");
        assertThat(messages.get(2).line()).contains("\"name\":\"Bash\"").contains("ls -la");
        assertThat(messages.get(3).line()).contains("tool_use_result").contains("needle.txt");
        assertThat(messages.get(5).text("subtype")).isEqualTo("success");
        assertThat(messages)
                .allSatisfy(
                        message ->
                                assertThat(message.text("session_id"))
                                        .isEqualTo(TestBridge.SESSION));
        assertThat(messages).extracting(message -> message.text("uuid")).doesNotHaveDuplicates();
    }

    @Test
    void runsCommandOfPrompt() throws IOException {
        var prompt = "News before it.\ndemo: run echo once >> lines.txt";

        client.query(prompt).untilDone();

        assertThat(bridge.workspace().resolve("lines.txt")).hasContent("once");
    }

    @Test
    void streamedTextEqualsMessages() throws IOException {
        var messages =
                messages(client.query("hello", ",\"includePartialMessages\":true").untilDone());

        var complete = new StringBuilder();
        var streamed = new StringBuilder();
        for (var message : messages) {
            if (message.text("type").equals("assistant")) {
                complete.append(textOf(message));
            } else if (message.line().contains("text_delta")) {
                streamed.append(message.at("event").at("delta").text("text"));
            }
        }
        assertThat(streamed.toString()).isEqualTo(complete.toString()).contains("demo engine");
        assertThat(messages)
                .filteredOn(message -> message.line().contains("text_delta"))
                .hasSizeGreaterThan(10);
        assertThat(messages)
                .filteredOn(message -> message.line().contains("message_start"))
                .hasSize(3);
    }

    @Test
    void quotesAnyText() throws IOException {
        var odd = "\"quotes\" \\ \u0001 – 漢字 🧪\u2028" + "é".repeat(5000);

        var messages = messages(client.query(odd).untilDone());

        assertThat(textOf(messages.get(1)))
                .contains("\"quotes\" \\ \u0001 – 漢字 🧪\u2028éé")
                .contains("é…”");
    }

    @Test
    void readsContentBlocks() throws IOException {
        client.send(
                "{\"cmd\":\"query\",\"sessionId\":\"s\",\"prompt\":[{\"type\":\"text\",\"text\":"
                        + "\"look\"},{\"type\":\"image\",\"source\":{}}]}");

        assertThat(client.untilDone().get(1).data()).contains("“look\\n[image]”");
    }

    @Test
    void rejectsPromptThatIsNeitherTextNorBlocks() throws IOException {
        client.send("{\"cmd\":\"query\",\"sessionId\":\"s\",\"prompt\":{\"a\":1}}");

        assertThat(client.next().text("error")).startsWith("prompt: expected a string or an array");
        assertThat(client.next().kind()).isEqualTo("done");
    }

    @Test
    void stopsStreamingWhenInterrupted() throws IOException {
        client.query("demo: slow 600", ",\"turnId\":\"t1\",\"includePartialMessages\":true");
        client.until(event -> event.data().contains("word-2 "));

        client.send("{\"cmd\":\"interrupt\"}");

        var rest = messages(client.untilDone());
        assertThat(rest.getLast().text("subtype")).isEqualTo("error_during_execution");
        assertThat(rest)
                .anySatisfy(message -> assertThat(message.line()).contains("word-1 word-2 "));
        assertThat(messages(client.query("demo: messages 1").untilDone()).getLast().text("subtype"))
                .isEqualTo("success");
    }

    @Test
    void interruptRightAfterPromptStopsTurn() throws IOException {
        for (int i = 0; i < 20; i++) {
            client.query("demo: slow 600", ",\"turnId\":\"t" + i + "\"");
            client.send("{\"cmd\":\"interrupt\"}");

            assertThat(messages(client.untilDone()).getLast().text("subtype"))
                    .isEqualTo("error_during_execution");
        }
    }

    @Test
    void ignoresInterruptWithoutTurn() throws IOException {
        client.send("{\"cmd\":\"interrupt\"}").query("demo: messages 1");

        assertThat(messages(client.untilDone()).getLast().text("subtype")).isEqualTo("success");
    }

    @Test
    void deliversTenThousandMessagesInOrder() throws IOException {
        var events = client.query("demo: messages 10000", ",\"turnId\":\"t1\"").untilDone();

        assertThat(events).hasSize(10_003);
        assertThat(events)
                .extracting(RawClient.Event::n)
                .containsExactlyElementsOf(
                        IntStream.rangeClosed(1, 10_003).mapToObj(Long::valueOf).toList());
        for (int i = 1; i <= 10_000; i++) {
            assertThat(events.get(i).data()).contains("message " + i + " of 10000");
        }
    }

    private static List<RawClient.Event> messages(List<RawClient.Event> events) {
        return events.stream()
                .filter(event -> event.kind().equals("message"))
                .map(RawClient.Event::message)
                .toList();
    }

    /** Returns the text of an assistant message; empty if its block is not text. */
    private static String textOf(RawClient.Event message) {
        return message.at("message").elements("content").getFirst().text("text");
    }
}
