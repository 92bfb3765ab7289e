package dev.ash.bridge.codex;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class ItemTranslatorTest {
    private static final RawJson LINE = RawJson.of("{\"method\":\"x\"}");

    private final List<RawJson> sent = new ArrayList<>();
    private final ItemTranslator translator =
            new ItemTranslator(new CodexMessages("th", "m"), sent::add);

    @Property(tries = 100)
    void deltasEqualCompleteText(@ForAll @Size(max = 20) List<String> deltas)
            throws MalformedJsonException {
        sent.clear();
        translator.begin(true);
        for (var part : deltas) {
            translator.textDelta(delta("i1", part), LINE);
        }
        var completeText = String.join("", deltas);
        translator.completed(item("agentMessage", "i1", completeText), "tu", LINE);

        var streamed = new StringBuilder();
        for (var message : sent) {
            streamed.append(text(message, "event", "delta"));
        }
        assertThat(streamed.toString()).isEqualTo(completeText);
        assertThat(sent.size()).isEqualTo(deltas.isEmpty() ? 1 : deltas.size() + 6);
        assertThat(translator.end(false, 1).text()).isEqualTo(completeText);
    }

    @Test
    void completedMessageDoesNotEndOtherStream() throws MalformedJsonException {
        translator.begin(true);
        translator.textDelta(delta("i1", "a"), LINE);
        translator.completed(item("agentMessage", "i0", "other"), "tu", LINE);
        translator.textDelta(delta("i1", "b"), LINE);
        translator.completed(item("agentMessage", "i1", "ab"), "tu", LINE);

        assertThat(events())
                .containsExactly(
                        "message_start",
                        "content_block_start",
                        "content_block_delta",
                        "content_block_delta",
                        "content_block_stop",
                        "message_delta",
                        "message_stop");
    }

    @Test
    void sendsOneResultPerCallAfterInterrupt() throws MalformedJsonException {
        translator.begin(false);
        var command =
                JsonObject.parse(
                        "{\"type\":\"commandExecution\",\"id\":\"c1\",\"command\":\"make\",\"status\":\"completed\",\"exitCode\":0}");
        translator.started(command, "tu", LINE);
        translator.interrupted(LINE);
        int after = sent.size();

        translator.completed(command, "tu", LINE);

        assertThat(sent).hasSize(after);
        assertThat(sent.stream().filter(m -> m.toString().contains("\"tool_result\""))).hasSize(1);
    }

    @Test
    void omitsTooLongOriginal() throws MalformedJsonException {
        translator.begin(false);
        var line = RawJson.string("x".repeat(9 * 1024 * 1024));

        translator.completed(item("agentMessage", "i1", "short"), "tu", line);

        assertThat(sent.getFirst().length()).isLessThan(1000);
    }

    private List<String> events() throws MalformedJsonException {
        var types = new ArrayList<String>();
        for (var message : sent) {
            var event = JsonObject.parse(message).object("event");
            if (event.isPresent()) {
                types.add(event.get().string("type").orElse(""));
            }
        }
        return types;
    }

    private static String text(RawJson message, String outer, String inner)
            throws MalformedJsonException {
        var event = JsonObject.parse(message).object(outer);
        var delta = event.isEmpty() ? event : event.get().object(inner);
        return delta.isEmpty() ? "" : delta.get().string("text").orElse("");
    }

    private static JsonObject delta(String id, String text) throws MalformedJsonException {
        return JsonObject.parse(JsonWriter.object().put("itemId", id).put("delta", text).end());
    }

    private static JsonObject item(String type, String id, String text)
            throws MalformedJsonException {
        return JsonObject.parse(
                JsonWriter.object().put("type", type).put("id", id).put("text", text).end());
    }
}
