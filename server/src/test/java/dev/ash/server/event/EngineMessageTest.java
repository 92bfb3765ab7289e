package dev.ash.server.event;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.protocol.json.RawJson;
import java.util.HashMap;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EngineMessageTest {
    private static void assertCountMatchesDerivedRows(String json) {
        var data = RawJson.of(json);
        var rows = EventRows.of(EventType.MESSAGE, data, new HashMap<>());
        var message = EngineMessage.read(data);

        assertThat(EventRows.count(EventType.MESSAGE, data)).isEqualTo(rows.size());
        if (!DerivedFrames.of(data).isEmpty()) {
            assertThat(message.orElseThrow().mayHaveDerivedFrames()).isTrue();
        }
    }

    /** Rows are numbered by counting them, so the count must match the derived rows. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "1",
                "[]",
                "\"assistant\"",
                "{}",
                "{\"type\":7}",
                "{\"type\":\"assistant\"}",
                "{\"type\":\"assistant\",\"message\":null}",
                "{\"type\":\"assistant\",\"message\":[{\"content\":[{\"type\":\"text\"}]}]}",
                "{\"type\":\"assistant\",\"message\":{\"content\":\"plain\"}}",
                "{\"type\":\"assistant\",\"message\":{\"content\":null}}",
                "{\"type\":\"assistant\",\"message\":{\"content\":[]}}",
                "{\"type\":\"assistant\",\"message\":{\"content\":[{\"type\":\"text\"},7]}}",
                "{\"type\":\"assistant\",\"message\":{\"content\":[{\"type\":\"text\"},[]]}}",
                "{\"type\":\"\\u0061ssistant\",\"message\":{\"content\":[{\"type\":\"t\\u0065xt\"}]}}",
                "{\"type\":\"user\",\"type\":\"assistant\",\"message\":{\"content\":[{\"type\":\"text\"}]}}",
                "{\"type\":\"assistant\",\"message\":{\"content\":[{\"type\":\"text\"}],\"content\":3}}",
                "{\"type\":\"assistant\",\"message\":{\"content\":[{\"type\":\"x\",\"type\":\"text\"}]}}",
                "{\"type\":\"assistant\",\"message\":{\"content\":[{\"type\":{\"type\":\"text\"}}]}}",
                "{\"type\":\"assistant\",\"message\":{\"x\":{\"content\":[{\"type\":\"text\"}]}}}",
                "{\"type\":\"result\"}",
                "{\"type\":\"result\"} x",
                "{\"type\":\"result\"",
                "{\"type\":\"user\",\"message\":{\"content\":[{\"type\":\"tool_result\",\"content\":[{\"type\":\"text\"}]}]}}"
            })
    void countsRowsOfUnusualMessages(String json) {
        assertCountMatchesDerivedRows(json);
    }

    @Property(tries = 500)
    void countsRowsOfAnyMessage(@ForAll("messages") String json) {
        assertCountMatchesDerivedRows(json);
    }

    @Provide
    Arbitrary<String> messages() {
        var types = Arbitraries.of("assistant", "user", "result", "system", "stream_event");
        var blocks =
                Arbitraries.of(
                                "{\"type\":\"text\",\"text\":\"a\"}",
                                "{\"type\":\"thinking\",\"thinking\":\"b\"}",
                                "{\"type\":\"tool_use\",\"id\":\"1\",\"name\":\"Bash\",\"input\":{}}",
                                "{\"type\":\"tool_result\",\"tool_use_id\":\"1\",\"content\":\"c\"}",
                                "{\"type\":\"image\"}",
                                "{\"type\":\"Not A Name\"}",
                                "{\"type\":null}",
                                "{}",
                                "null")
                        .list()
                        .ofMaxSize(4);
        return Combinators.combine(types, blocks)
                .as(
                        (type, content) ->
                                "{\"type\":\"%s\",\"message\":{\"role\":\"x\",\"content\":[%s]}}"
                                        .formatted(type, String.join(",", content)));
    }
}
