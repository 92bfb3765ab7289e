package dev.ash.bridge.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConversationTest {
    @TempDir private Path directory;

    @Test
    void isLoadedByNextBridge() {
        Conversation.load(directory.resolve("new")).recordOpened("s1", "claude", "e1");

        var loaded = Conversation.load(directory.resolve("new"));

        assertThat(loaded.idFor("claude")).contains("e1");
        assertThat(loaded.idFor("demo")).isEmpty();
        assertThat(loaded.hasCompletedTurn("claude")).isFalse();
    }

    @Test
    void recordsCompletedTurnUntilConversationChanges() {
        var conversation = Conversation.load(directory);
        conversation.recordOpened("s1", "claude", "e1");
        conversation.recordCompletedTurn();

        conversation.recordOpened("s1", "claude", "e1");
        assertThat(Conversation.load(directory).hasCompletedTurn("claude")).isTrue();
        assertThat(Conversation.load(directory).hasCompletedTurn("demo")).isFalse();

        conversation.recordOpened("s1", "claude", "e2");
        assertThat(Conversation.load(directory).hasCompletedTurn("claude")).isFalse();
    }

    @Test
    void isCopyForOtherSessions() {
        var conversation = Conversation.load(directory);
        assertThat(conversation.isCopyFor("s1")).isFalse();
        conversation.recordOpened("s1", "claude", "e1");

        assertThat(Conversation.load(directory).isCopyFor("s1")).isFalse();
        assertThat(Conversation.load(directory).isCopyFor("s2")).isTrue();

        conversation.recordOpened("s2", "claude", "e2");
        assertThat(Conversation.load(directory).isCopyFor("s2")).isFalse();
    }

    @Test
    void canBeCleared() {
        var conversation = Conversation.load(directory);
        conversation.recordOpened("s1", "claude", "e1");

        conversation.clear();

        assertThat(Conversation.load(directory).idFor("claude")).isEmpty();
    }

    @Test
    void ignoresInvalidFile() throws IOException {
        Files.writeString(directory.resolve("conversation.json"), "{\"engine\":");

        assertThat(Conversation.load(directory).idFor("claude")).isEmpty();
    }
}
