package dev.ash.bridge.claude;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.bridge.engine.Setups;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClaudeHomeTest {
    @TempDir private Path directory;

    @Test
    void trustsWorkspaceAndKeepsOtherSettings() throws Exception {
        var file = directory.resolve("home/.claude.json");
        Files.createDirectories(file.getParent());
        Files.writeString(
                file,
                "{\"userID\":\"u\",\"projects\":{\"/other\":{\"x\":1.50},\""
                        + directory.resolve("workspace")
                        + "\":{\"y\":[1, 2]}},\"z\":null}");
        var home = new ClaudeHome(Setups.in(directory, Map.of()));

        home.trustWorkspace();
        home.trustWorkspace();

        assertThat(Files.readString(file))
                .isEqualTo(
                        "{\"userID\":\"u\",\"z\":null,\"projects\":{\"/other\":{\"x\":1.50},\""
                                + directory.resolve("workspace")
                                + "\":{\"y\":[1, 2],\"hasTrustDialogAccepted\":true}}}");
    }

    @Test
    void trustsWorkspaceInNewHome() throws Exception {
        Files.createDirectories(directory.resolve("config"));
        var moved = Map.of("CLAUDE_CONFIG_DIR", directory.resolve("config").toString());

        new ClaudeHome(Setups.in(directory, moved)).trustWorkspace();

        assertThat(Files.readString(directory.resolve("config/.claude.json")))
                .isEqualTo(
                        "{\"projects\":{\""
                                + directory.resolve("workspace")
                                + "\":{\"hasTrustDialogAccepted\":true}}}");
    }

    @Test
    void findsTranscriptOfConversation() throws Exception {
        var home = new ClaudeHome(Setups.in(directory, Map.of()));
        assertThat(home.hasTranscript("id-1")).isFalse();

        var project = directory.resolve("home/.claude/projects/-workspace");
        Files.createDirectories(project);
        Files.createFile(project.resolve("id-1.jsonl"));

        assertThat(home.hasTranscript("id-1")).isTrue();
        assertThat(home.hasTranscript("id-2")).isFalse();
    }
}
