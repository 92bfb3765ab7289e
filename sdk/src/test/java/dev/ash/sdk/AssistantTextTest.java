package dev.ash.sdk;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.protocol.json.RawJson;
import org.junit.jupiter.api.Test;

class AssistantTextTest {
    private static String text(String json) {
        return AssistantText.of(RawJson.of(json));
    }

    @Test
    void readsTextBlocksAndPlainContent() {
        assertThat(
                        text(
                                "{\"type\":\"assistant\",\"message\":{\"content\":[{\"type\":\"text\",\"text\":\"a\"},{\"type\":\"tool_use\",\"id\":\"1\"},{\"type\":\"text\",\"text\":\"b\"}]},\"parent_tool_use_id\":null}"))
                .isEqualTo("ab");
        assertThat(text("{\"type\":\"assistant\",\"message\":{\"content\":\"Hello!\"}}"))
                .isEqualTo("Hello!");
    }

    @Test
    void returnsNothingForOtherMessages() {
        assertThat(text("{\"type\":\"user\",\"message\":{\"content\":\"x\"}}")).isEmpty();
        assertThat(
                        text(
                                "{\"type\":\"assistant\",\"parent_tool_use_id\":\"t\",\"message\":{\"content\":\"x\"}}"))
                .isEmpty();
        assertThat(text("{\"type\":\"assistant\"}")).isEmpty();
        assertThat(text("[]")).isEmpty();
        assertThat(text("no json")).isEmpty();
    }
}
