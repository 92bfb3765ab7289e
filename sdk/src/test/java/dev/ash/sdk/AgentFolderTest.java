package dev.ash.sdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ash.protocol.rest.AgentApi.FileUpload;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AgentFolderTest {
    @TempDir Path folder;

    private Path write(String path, String content) throws IOException {
        var file = folder.resolve(path);
        Files.createDirectories(file.getParent());
        return Files.writeString(file, content);
    }

    @Test
    void readsAllFilesButInstalledPackagesVersionControlAndSecrets() throws IOException {
        write("CLAUDE.md", "be nice");
        write(".claude/settings.json", "{}");
        write("node_modules/x/index.js", "");
        write("sub/.git/HEAD", "");
        write(".env", "SECRET=1");
        write("yarn.lock", "");
        assertThat(write("run.sh", "ü").toFile().setExecutable(true)).isTrue();

        assertThat(AgentFolder.read(folder).files())
                .containsExactly(
                        new FileUpload(".claude/settings.json", "e30=", null, null),
                        new FileUpload("CLAUDE.md", "YmUgbmljZQ==", null, null),
                        new FileUpload("run.sh", "w7w=", null, true),
                        new FileUpload("yarn.lock", "", null, null));
    }

    @Test
    void leavesGitFoldersOutInAnyLetterCaseAndNamesThem() throws IOException {
        write("CLAUDE.md", "x");
        write(".git/config", "");
        write("a/.GIT/config", "");
        write("b/.Git", "gitdir: ..");
        write(".gitignore", "");

        var read = AgentFolder.read(folder);

        assertThat(read.files())
                .extracting(FileUpload::path)
                .containsExactly(".gitignore", "CLAUDE.md");
        assertThat(read.git()).containsExactly(".git", "a/.GIT", "b/.Git");
    }

    @Test
    void namesTheMissingFile() {
        assertThatThrownBy(() -> AgentFolder.read(folder)).hasMessageContaining("CLAUDE.md");
        assertThatThrownBy(() -> AgentFolder.read(folder.resolve("nowhere")))
                .hasMessageContaining("There is no folder");
    }

    @Test
    void followsLinksWithinTheFolderOnly() throws IOException {
        write("CLAUDE.md", "x");
        Files.createSymbolicLink(folder.resolve("AGENTS.md"), Path.of("CLAUDE.md"));
        assertThat(AgentFolder.read(folder).files())
                .extracting(FileUpload::path)
                .containsExactly("AGENTS.md", "CLAUDE.md");

        Files.createSymbolicLink(folder.resolve("host"), Path.of("../outside"));
        assertThatThrownBy(() -> AgentFolder.read(folder)).hasMessageContaining("host is a link");
    }

    @Test
    void refusesALinkThatMakesALoop() throws IOException {
        write("CLAUDE.md", "x");
        Files.createSymbolicLink(folder.resolve("again"), folder);

        assertThatThrownBy(() -> AgentFolder.read(folder)).hasMessageContaining("lies in");
    }
}
