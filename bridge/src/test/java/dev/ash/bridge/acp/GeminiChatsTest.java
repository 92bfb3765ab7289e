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
    void deletesEmptyFileOfKeptConversation() throws Exception {
        var chats = Files.createDirectories(home.resolve(".gemini/tmp/ws/chats"));
        Files.writeString(chats.resolve("session-2026-11-18T21-05-3aab3d3e.jsonl"), "one");
        GeminiChats.keep(home);
        Files.writeString(chats.resolve("session-2026-11-18T21-06-3aab3d3e.jsonl"), "empty");
        Files.writeString(chats.resolve("session-2026-11-18T21-06-9f00aa11.jsonl"), "two");

        GeminiChats.keep(home);

        try (var files = Files.list(chats)) {
            assertThat(files.map(file -> file.getFileName().toString()))
                    .containsExactlyInAnyOrder(
                            "session-kept-2026-11-18T21-05-3aab3d3e.jsonl",
                            "session-kept-2026-11-18T21-06-9f00aa11.jsonl");
        }
    }

    @Test
    void ignoresHomesOfOtherEngines() {
        GeminiChats.keep(home);

        assertThat(home).isEmptyDirectory();
    }
}
