package dev.ash.bridge.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConversationTest {
    @TempDir private Path folder;

    @Test
    void isFoundAgainByTheNextBridge() {
        Conversation.load(folder.resolve("new")).opened("s1", "claude", "e1");

        var again = Conversation.load(folder.resolve("new"));

        assertThat(again.of("claude")).contains("e1");
        assertThat(again.of("demo")).isEmpty();
        assertThat(again.answered("claude")).isFalse();
    }

    @Test
    void isAnsweredOnceATurnWasAndUntilItChanges() {
        var conversation = Conversation.load(folder);
        conversation.opened("s1", "claude", "e1");
        conversation.answeredOnce();

        conversation.opened("s1", "claude", "e1");
        assertThat(Conversation.load(folder).answered("claude")).isTrue();
        assertThat(Conversation.load(folder).answered("demo")).isFalse();

        conversation.opened("s1", "claude", "e2");
        assertThat(Conversation.load(folder).answered("claude")).isFalse();
    }

    @Test
    void belongsToTheSessionThatOpenedItAndIsACopyToOthers() {
        var conversation = Conversation.load(folder);
        assertThat(conversation.copiedFor("s1")).isFalse();
        conversation.opened("s1", "claude", "e1");

        assertThat(Conversation.load(folder).copiedFor("s1")).isFalse();
        assertThat(Conversation.load(folder).copiedFor("s2")).isTrue();

        conversation.opened("s2", "claude", "e2");
        assertThat(Conversation.load(folder).copiedFor("s2")).isFalse();
    }

    @Test
    void canBeForgotten() {
        var conversation = Conversation.load(folder);
        conversation.opened("s1", "claude", "e1");

        conversation.forget();

        assertThat(Conversation.load(folder).of("claude")).isEmpty();
    }

    @Test
    void aFileThatIsNoJsonIsAsGoodAsNone() throws IOException {
        Files.writeString(folder.resolve("conversation.json"), "{\"engine\":");

        assertThat(Conversation.load(folder).of("claude")).isEmpty();
    }
}
