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

class TranslationTest {
    private static final RawJson LINE = RawJson.of("{\"method\":\"x\"}");

    private final List<RawJson> said = new ArrayList<>();
    private final Translation translation =
            new Translation(new CodexMessages("th", "m"), said::add);

    @Property(tries = 100)
    void piecesMakeTheWholeWhateverTheyAre(@ForAll @Size(max = 20) List<String> pieces)
            throws MalformedJsonException {
        said.clear();
        translation.begin(true);
        for (var piece : pieces) {
            translation.textDelta(delta("i1", piece), LINE);
        }
        var whole = String.join("", pieces);
        translation.completed(item("agentMessage", "i1", whole), "tu", LINE);

        var heard = new StringBuilder();
        for (var message : said) {
            heard.append(text(message, "event", "delta"));
        }
        assertThat(heard.toString()).isEqualTo(whole);
        assertThat(said.size()).isEqualTo(pieces.isEmpty() ? 1 : pieces.size() + 6);
        assertThat(translation.end(false, 1).text()).isEqualTo(whole);
    }

    @Test
    void aMessageThatEndsWhileAnotherIsMadeDoesNotEndThatOne() throws MalformedJsonException {
        translation.begin(true);
        translation.textDelta(delta("i1", "a"), LINE);
        translation.completed(item("agentMessage", "i0", "other"), "tu", LINE);
        translation.textDelta(delta("i1", "b"), LINE);
        translation.completed(item("agentMessage", "i1", "ab"), "tu", LINE);

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
    void aResultComesOnceForEachCallAlsoWhenItWasInterrupted() throws MalformedJsonException {
        translation.begin(false);
        var command =
                JsonObject.parse(
                        "{\"type\":\"commandExecution\",\"id\":\"c1\",\"command\":\"make\",\"status\":\"completed\",\"exitCode\":0}");
        translation.started(command, "tu", LINE);
        translation.interrupted(LINE);
        int after = said.size();

        translation.completed(command, "tu", LINE);

        assertThat(said).hasSize(after);
        assertThat(said.stream().filter(m -> m.toString().contains("\"tool_result\""))).hasSize(1);
    }

    @Test
    void anOriginalThatIsTooLongIsLeftOut() throws MalformedJsonException {
        translation.begin(false);
        var line = RawJson.string("x".repeat(9 * 1024 * 1024));

        translation.completed(item("agentMessage", "i1", "short"), "tu", line);

        assertThat(said.getFirst().length()).isLessThan(1000);
    }

    private List<String> events() throws MalformedJsonException {
        var types = new ArrayList<String>();
        for (var message : said) {
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
