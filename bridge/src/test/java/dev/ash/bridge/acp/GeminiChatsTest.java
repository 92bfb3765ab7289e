package dev.ash.bridge.acp;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GeminiChatsTest {
    @TempDir private Path home;

    @Test
    void renamesConversationsOnce() throws Exception {
        var chats = Files.createDirectories(home.resolve(".gemini/tmp/ws/chats"));
        Files.writeString(chats.resolve("session-2026-11-18T21-05-3aab3d3e.jsonl"), "one");
        Files.writeString(chats.resolve("other.json"), "other");

        GeminiChats.keep(home);
        GeminiChats.keep(home);

        assertThat(chats.resolve("session-kept-2026-11-18T21-05-3aab3d3e.jsonl")).hasContent("one");
        assertThat(chats.resolve("other.json")).exists();
    }

    @Test
    void deletesEmptyFileOfLoadedConversation() throws Exception {
        var chats = Files.createDirectories(home.resolve(".gemini/tmp/ws/chats"));
        Files.writeString(chats.resolve("session-2026-11-18T21-05-3aab3d3e.jsonl"), "one");
        GeminiChats.keep(home);
        Files.writeString(chats.resolve("session-2026-11-18T21-05-3aab3d3e.jsonl"), "");
        Files.writeString(chats.resolve("session-2026-11-18T21-06-3aab3d3e.jsonl"), "");

        GeminiChats.keep(home);

        assertThat(chats)
                .isDirectoryNotContaining("glob:**/session-2026*")
                .isDirectoryContaining("glob:**/session-kept-2026-11-18T21-05-3aab3d3e.jsonl");
    }

    @Test
    void ignoresHomesOfOtherEngines() {
        GeminiChats.keep(home);

        assertThat(home).isEmptyDirectory();
    }
}
