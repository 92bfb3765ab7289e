package dev.ash.server.session.turn;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.Limits;
import dev.ash.protocol.json.RawJson;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PromptTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "\"hello\"",
                "[{\"type\":\"text\",\"text\":\"hello\"}]",
                "[{\"type\":\"text\",\"text\":\"a\"},{\"type\":\"image\",\"source\":{\"type\":\"base64\"}}]"
            })
    void acceptsTextAndBlocks(String content) {
        assertThatCode(() -> Prompt.check(RawJson.of(content))).doesNotThrowAnyException();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "123",
                "true",
                "{}",
                "null",
                "\"\"",
                "[]",
                "[1]",
                "[\"text\"]",
                "[{\"type\":\"video\"}]",
                "[{\"type\":\"text\"}]",
                "[{\"type\":\"image\"}]"
            })
    void rejectsOtherContentAndNamesField(String content) {
        assertThatThrownBy(() -> Prompt.check(RawJson.of(content)))
                .isInstanceOf(ApiException.class)
                .hasMessageStartingWith("content");
    }

    @Test
    void rejectsTooLongText() {
        var longest = RawJson.string("x".repeat(Limits.MAX_PROMPT_CHARS));
        var tooLong = RawJson.string("x".repeat(Limits.MAX_PROMPT_CHARS + 1));

        assertThatCode(() -> Prompt.check(longest)).doesNotThrowAnyException();
        assertThatThrownBy(() -> Prompt.check(tooLong)).hasMessageContaining("500,000");
    }
}
