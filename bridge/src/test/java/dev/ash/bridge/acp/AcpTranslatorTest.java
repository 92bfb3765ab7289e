package dev.ash.bridge.acp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

/** Translates recorded lines of real agents, and synthetic ones. */
class AcpTranslatorTest {
    private static final RawJson LINE = RawJson.of("{\"method\":\"x\"}");

    private final List<RawJson> sent = new ArrayList<>();

    private AcpTranslator translator(boolean partials, String... servers) {
        sent.clear();
        return new AcpTranslator(
                new AcpMessages("s", "m"),
                new ToolNames(List.of(servers)),
                AcpContextUsage.UNKNOWN,
                partials,
                sent::add);
    }

    private static List<String> lines(String name) throws IOException {
        try (InputStream in =
                Objects.requireNonNull(
                        AcpTranslatorTest.class.getResourceAsStream("/acp/" + name))) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
        }
    }

    private void play(String name) throws IOException {
        var translator = translator(false, "echo");
        for (var line : lines(name)) {
            var raw = RawJson.of(line);
            var message = JsonObject.parse(raw);
            var params = message.object("params");
            if (params.isEmpty()) {
                var end = new AcpSummary.End(false, "end_turn", 1, AcpUsage.NONE);
                translator.end(end, null, raw);
            } else if (params.get().object("update").isPresent()) {
                translator.update(params.get().object("update").get(), raw);
            } else {
                translator.requested(params.get().object("toolCall").orElseThrow(), raw);
            }
        }
    }

    /** Returns each message as its first block: the text, the tool with its input, the result. */
    private List<String> shown() throws MalformedJsonException {
        var shown = new ArrayList<String>();
        for (var message : sent) {
            var json = JsonObject.parse(message);
            var content = json.object("message").flatMap(inner -> inner.raw("content"));
            if (content.isEmpty()) {
                shown.add(json.string("type").orElse(""));
                continue;
            }
            var block = JsonObject.parse(JsonObject.elements(content.get()).getFirst());
            shown.add(
                    switch (block.string("type").orElse("")) {
                        case "tool_use" ->
                                block.string("name").orElse("") + " " + block.raw("input").get();
                        case "tool_result" -> "> " + block.string("content").orElse("");
                        default -> block.string("text").orElse("");
                    });
        }
        return shown;
    }

    @Test
    void translatesOpencode() throws IOException {
        play("opencode.jsonl");

        assertThat(shown())
                .containsExactly(
                        "let me look ",
                        "Bash {\"command\":\"cat a.txt\",\"description\":\"read\",\"cwd\":\"/srv/x/ows\"}",
                        "> hello\n",
                        "Write {\"file_path\":\"/srv/x/ows/c.txt\",\"content\":\"hi\\n\"}",
                        "> Wrote file successfully.",
                        "mcp__echo__echo {\"text\":\"yo\"}",
                        "> ECHO yo",
                        "all done",
                        "result");
    }

    @Test
    void translatesGoose() throws IOException {
        play("goose.jsonl");

        assertThat(shown())
                .containsExactly(
                        "let me look ",
                        "Bash {\"command\":\"cat a.txt\"}",
                        "> hello",
                        "Write {\"file_path\":\"/srv/x/gws/c.txt\",\"content\":\"hi\\n\"}",
                        "> Changed /srv/x/gws/c.txt",
                        "mcp__echo__echo {\"text\":\"yo\"}",
                        "> ECHO yo",
                        "all done",
                        "result");
    }

    @Test
    void translatesGemini() throws IOException {
        play("gemini.jsonl");

        assertThat(shown())
                .containsExactly(
                        "let me look ",
                        "Bash {\"command\":\"cat a.txt\"}",
                        "> ",
                        "Write {\"file_path\":\"/srv/x/gmws/c.txt\"}",
                        "> Error checking existing file: Resource not found",
                        "all done",
                        "result");
        assertThat(sent).allMatch(message -> message.toString().contains("\"raw\":{"));
    }

    @Property(tries = 100)
    void deltasEqualCompleteText(@ForAll @Size(max = 20) List<String> chunks)
            throws MalformedJsonException {
        var translator = translator(true);
        for (var chunk : chunks) {
            translator.update(chunk("agent_message_chunk", chunk), LINE);
        }
        translator.flush();

        var streamed = new StringBuilder();
        for (var message : sent) {
            var event = JsonObject.parse(message).object("event");
            var delta = event.isEmpty() ? event : event.get().object("delta");
            streamed.append(delta.isEmpty() ? "" : delta.get().string("text").orElse(""));
        }
        var complete = String.join("", chunks);
        assertThat(streamed.toString()).isEqualTo(complete);
        assertThat(shown().stream().filter(text -> !text.equals("stream_event")).toList())
                .isEqualTo(complete.isEmpty() ? List.of() : List.of(complete));
    }

    @Test
    void splitsLongMessages() throws MalformedJsonException {
        var translator = translator(false);
        for (int i = 0; i < 5; i++) {
            translator.update(chunk("agent_message_chunk", "x".repeat(700_000)), LINE);
        }
        translator.flush();

        assertThat(sent).hasSize(3);
    }

    @Test
    void closesOpenCallsAtTheEnd() throws MalformedJsonException {
        var translator = translator(false);
        translator.update(
                JsonObject.parse(
                        "{\"sessionUpdate\":\"tool_call\",\"toolCallId\":\"c\",\"kind\":\"execute\",\"title\":\"make\",\"status\":\"in_progress\"}"),
                LINE);
        translator.end(new AcpSummary.End(true, "", 1, AcpUsage.NONE), null, LINE);

        assertThat(shown())
                .containsExactly(
                        "Bash {\"command\":\"make\"}",
                        "> [Request interrupted by user]",
                        "[Request interrupted by user]",
                        "result");
    }

    @Test
    void takesEditsFromChanges() throws MalformedJsonException {
        var translator = translator(false);
        var use =
                translator.requested(
                        JsonObject.parse(
                                "{\"toolCallId\":\"c\",\"kind\":\"edit\",\"title\":\"a.txt\",\"content\":[{\"type\":\"diff\",\"path\":\"/w/a.txt\",\"oldText\":\"a\",\"newText\":\"b\"}]}"),
                        LINE);

        assertThat(use.tool()).isEqualTo("Edit");
        assertThat(use.input())
                .hasToString(
                        "{\"file_path\":\"/w/a.txt\",\"old_string\":\"a\",\"new_string\":\"b\"}");
    }

    @Test
    void personDecidesAboutCommandOfTheRequest() throws MalformedJsonException {
        var translator = translator(false);
        translator.update(
                JsonObject.parse(
                        "{\"sessionUpdate\":\"tool_call\",\"toolCallId\":\"c\",\"kind\":\"execute\",\"title\":\"bash\",\"status\":\"in_progress\",\"rawInput\":{\"command\":\"ls\"}}"),
                LINE);

        var use =
                translator.requested(
                        JsonObject.parse(
                                "{\"toolCallId\":\"c\",\"title\":\"ls\",\"rawInput\":{\"command\":\"rm -r .\"}}"),
                        LINE);

        assertThat(use.command()).isEqualTo("rm -r .");
    }

    /** OpenCode may ask before it reports the input, and asks with a summary. */
    @Test
    void personSeesInputOfUpdatesAndRequest() throws MalformedJsonException {
        var translator = translator(false);
        translator.update(
                JsonObject.parse(
                        "{\"sessionUpdate\":\"tool_call\",\"toolCallId\":\"c\",\"kind\":\"edit\",\"title\":\"write\",\"status\":\"pending\",\"rawInput\":{}}"),
                LINE);

        var use =
                translator.requested(
                        JsonObject.parse(
                                "{\"toolCallId\":\"c\",\"kind\":\"edit\",\"rawInput\":{\"filepath\":\"/w/a\",\"diff\":\"+b\"},\"content\":[{\"type\":\"diff\",\"path\":\"/w/a\",\"oldText\":\"\",\"newText\":\"b\"}]}"),
                        LINE);

        assertThat(use.tool()).isEqualTo("Write");
        assertThat(use.input())
                .hasToString("{\"file_path\":\"/w/a\",\"diff\":\"+b\",\"content\":\"b\"}");
    }

    private static JsonObject chunk(String kind, String text) throws MalformedJsonException {
        var json = JsonWriter.object().put("sessionUpdate", kind).name("content").open('{');
        return JsonObject.parse(json.put("type", "text").put("text", text).close('}').end());
    }
}
