package dev.ash.bridge.claude;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.bridge.engine.Setups;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClaudeHomeTest {
    @TempDir private Path folder;

    @Test
    void trustsTheWorkspaceAndKeepsTheRest() throws Exception {
        var file = folder.resolve("home/.claude.json");
        Files.createDirectories(file.getParent());
        Files.writeString(
                file,
                "{\"userID\":\"u\",\"projects\":{\"/other\":{\"x\":1.50},\""
                        + folder.resolve("workspace")
                        + "\":{\"y\":[1, 2]}},\"z\":null}");
        var home = new ClaudeHome(Setups.in(folder, Map.of()));

        home.trustWorkspace();
        home.trustWorkspace();

        assertThat(Files.readString(file))
                .isEqualTo(
                        "{\"userID\":\"u\",\"z\":null,\"projects\":{\"/other\":{\"x\":1.50},\""
                                + folder.resolve("workspace")
                                + "\":{\"y\":[1, 2],\"hasTrustDialogAccepted\":true}}}");
    }

    @Test
    void trustsTheWorkspaceInAFreshHome() throws Exception {
        Files.createDirectories(folder.resolve("config"));
        var moved = Map.of("CLAUDE_CONFIG_DIR", folder.resolve("config").toString());

        new ClaudeHome(Setups.in(folder, moved)).trustWorkspace();

        assertThat(Files.readString(folder.resolve("config/.claude.json")))
                .isEqualTo(
                        "{\"projects\":{\""
                                + folder.resolve("workspace")
                                + "\":{\"hasTrustDialogAccepted\":true}}}");
    }

    @Test
    void knowsWhetherAConversationWasWritten() throws Exception {
        var home = new ClaudeHome(Setups.in(folder, Map.of()));
        assertThat(home.hasTranscript("id-1")).isFalse();

        var project = folder.resolve("home/.claude/projects/-workspace");
        Files.createDirectories(project);
        Files.createFile(project.resolve("id-1.jsonl"));

        assertThat(home.hasTranscript("id-1")).isTrue();
        assertThat(home.hasTranscript("id-2")).isFalse();
    }
}
