package dev.ash.bridge;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests a session on a copy of another session's home, with the real CLI. */
class ClaudeForkTest {
    private static final String FORK = "9d3c1f0e-1111-4222-8333-444455556666";

    @TempDir private Path directory;
    private RealClaude claude;
    private final ArrayList<String> answers = new ArrayList<>();
    private String before;

    /** Runs three turns, then opens a bridge for another session with the same home. */
    @BeforeEach
    void fork() throws IOException {
        claude = RealClaude.in(directory);
        claude.open();
        for (var word : new String[] {"PELICAN", "HERON", "STORK"}) {
            for (var event : claude.client().query("remember " + word).untilDone()) {
                if (event.message().text("type").equals("assistant")) {
                    answers.add(event.message().text("uuid"));
                }
            }
        }
        claude.client().send("{\"cmd\":\"rest\"}").nextOf("resting");
        before = Files.readString(transcript(TestBridge.SESSION));
        claude.reopen();
    }

    @AfterEach
    void close() throws IOException {
        if (claude != null) {
            claude.close();
        }
    }

    private Path transcript(String engineSessionId) throws IOException {
        try (var files = Files.walk(directory.resolve("home/.claude/projects"))) {
            return files.filter(file -> file.endsWith(engineSessionId + ".jsonl"))
                    .findFirst()
                    .orElseThrow();
        }
    }

    private String ask(String prompt, String forkAt) throws IOException {
        claude.client()
                .send("{\"cmd\":\"configure\",\"sessionId\":\"" + FORK + "\"" + forkAt + "}")
                .send(
                        "{\"cmd\":\"query\",\"sessionId\":\""
                                + FORK
                                + "\",\"prompt\":\""
                                + prompt
                                + "\"}");
        var turn = claude.client().untilDone();
        assertThat(turn).extracting(RawClient.Event::kind).doesNotContain("error");
        return turn.getFirst().message().text("session_id");
    }

    private String lastRequest() {
        return claude.api().lastRequest().at("messages").line();
    }

    @Test
    void continuesWholeConversationUnderNewId() throws IOException {
        var id = ask("which words?", "");

        assertThat(id).isNotEqualTo(TestBridge.SESSION);
        assertThat(lastRequest()).contains("PELICAN", "HERON", "STORK");
        assertThat(Files.readString(transcript(TestBridge.SESSION))).isEqualTo(before);
    }

    @Test
    void truncatesConversationAtForkOnce() throws IOException {
        var forkAt = ",\"forkAt\":\"" + answers.getFirst() + "\"";
        var id = ask("which words?", forkAt);
        assertThat(lastRequest()).contains("PELICAN").doesNotContain("HERON", "STORK");
        claude.reopen();

        assertThat(ask("and now?", forkAt)).isEqualTo(id);

        assertThat(lastRequest()).contains("PELICAN", "which words?").doesNotContain("HERON");
        assertThat(Files.readString(transcript(TestBridge.SESSION))).isEqualTo(before);
    }
}
