package dev.ash.bridge.claude;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.bridge.claude.ClaudeLine.Kind;
import dev.ash.protocol.json.JsonLinesReader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Tests {@link ClaudeLine} with recorded lines of the real CLI of every type. */
class ClaudeLineTest {
    @Test
    void determinesKindOfEveryLine() throws IOException {
        var counts = new EnumMap<Kind, Integer>(Kind.class);
        for (var line : lines()) {
            counts.merge(line.kind(), 1, Integer::sum);
        }

        assertThat(counts)
                .isEqualTo(
                        Map.of(
                                Kind.CONTROL_REQUEST, 11,
                                Kind.CONTROL_RESPONSE, 2,
                                Kind.CONTROL_CANCEL, 1,
                                Kind.CONTROL_OTHER, 1,
                                Kind.INIT, 1,
                                Kind.PARTIAL, 10,
                                Kind.USER, 7,
                                Kind.RESULT, 11,
                                Kind.OTHER, 22));
    }

    @Test
    void recognizesResultOfEngineTurn() throws IOException {
        var origins = new ArrayList<String>();
        for (var line : lines()) {
            if (line.kind() == Kind.RESULT && line.isOfEngineTurn()) {
                origins.add(
                        line.json().object("origin").orElseThrow().string("kind").orElseThrow());
            }
        }

        assertThat(origins).containsExactly("task-notification");
    }

    @Test
    void recognizesEchoOfPrompt() throws IOException {
        long echoes = 0;
        for (var line : lines()) {
            echoes += line.echoes(line.json().string("uuid").orElse("")) ? 1 : 0;
            assertThat(line.echoes("another")).isFalse();
        }

        assertThat(echoes).isPositive();
    }

    private static List<ClaudeLine> lines() throws IOException {
        var lines = new ArrayList<ClaudeLine>();
        try (var in =
                Objects.requireNonNull(
                        ClaudeLineTest.class.getResourceAsStream("/claude-messages.jsonl"))) {
            var reader = new JsonLinesReader(in, 1 << 20);
            for (var line = reader.next(); line != null; line = reader.next()) {
                lines.add(ClaudeLine.of(line));
            }
        }
        return lines;
    }
}
