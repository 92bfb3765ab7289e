package dev.ash.sdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ash.protocol.rest.AgentApi.FileUpload;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AgentDirectoryTest {
    @TempDir Path directory;

    private Path write(String path, String content) throws IOException {
        var file = directory.resolve(path);
        Files.createDirectories(file.getParent());
        return Files.writeString(file, content);
    }

    @Test
    void skipsInstalledPackagesVersionControlAndSecrets() throws IOException {
        write("CLAUDE.md", "be nice");
        write(".claude/settings.json", "{}");
        write("node_modules/x/index.js", "");
        write("sub/.git/HEAD", "");
        write(".env", "SECRET=1");
        write("yarn.lock", "");
        assertThat(write("run.sh", "ü").toFile().setExecutable(true)).isTrue();

        assertThat(AgentDirectory.read(directory).files())
                .containsExactly(
                        new FileUpload(".claude/settings.json", "e30=", null, null),
                        new FileUpload("CLAUDE.md", "YmUgbmljZQ==", null, null),
                        new FileUpload("run.sh", "w7w=", null, true),
                        new FileUpload("yarn.lock", "", null, null));
    }

    @Test
    void skipsAndReportsGitDirectoriesInAnyLetterCase() throws IOException {
        write("CLAUDE.md", "x");
        write(".git/config", "");
        write("a/.GIT/config", "");
        write("b/.Git", "gitdir: ..");
        write(".gitignore", "");

        var read = AgentDirectory.read(directory);

        assertThat(read.files())
                .extracting(FileUpload::path)
                .containsExactly(".gitignore", "CLAUDE.md");
        assertThat(read.skippedGitPaths()).containsExactly(".git", "a/.GIT", "b/.Git");
    }

    @Test
    void rejectsDirectoriesWithoutClaudeMd() {
        assertThatThrownBy(() -> AgentDirectory.read(directory)).hasMessageContaining("CLAUDE.md");
        assertThatThrownBy(() -> AgentDirectory.read(directory.resolve("nowhere")))
                .hasMessageContaining("does not exist");
    }

    @Test
    void followsLinksWithinTheDirectoryOnly() throws IOException {
        write("CLAUDE.md", "x");
        Files.createSymbolicLink(directory.resolve("AGENTS.md"), Path.of("CLAUDE.md"));
        assertThat(AgentDirectory.read(directory).files())
                .extracting(FileUpload::path)
                .containsExactly("AGENTS.md", "CLAUDE.md");

        Files.createSymbolicLink(directory.resolve("host"), Path.of("../outside"));
        assertThatThrownBy(() -> AgentDirectory.read(directory))
                .hasMessageContaining("host is a broken link");
    }

    @Test
    void rejectsLinkLoops() throws IOException {
        write("CLAUDE.md", "x");
        Files.createSymbolicLink(directory.resolve("again"), directory);

        assertThatThrownBy(() -> AgentDirectory.read(directory))
                .hasMessageContaining("parent directories");
    }
}
