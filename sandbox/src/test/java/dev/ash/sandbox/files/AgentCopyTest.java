package dev.ash.sandbox.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.OptionalInt;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AgentCopyTest {
    @TempDir private Path directory;
    private Path agent;

    @BeforeEach
    void makeAgent() throws IOException {
        agent =
                Files.createDirectories(directory.resolve("agent/.claude/skills"))
                        .getParent()
                        .getParent();
        Files.writeString(agent.resolve("CLAUDE.md"), "hello");
    }

    private Path copy() throws IOException {
        var workspace = directory.resolve("workspace");
        AgentCopy.copy(agent, workspace, OptionalInt.empty());
        return workspace;
    }

    private static String mode(Path path) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }

    @Test
    void omitsGitDirectoriesOfAgentsDeployedByEarlierVersions() throws IOException {
        Files.createDirectories(agent.resolve(".claude/.GIT"));
        Files.writeString(agent.resolve(".git"), "gitdir: /elsewhere");
        Files.writeString(agent.resolve(".claude/.GIT/config"), "[filter]");

        var workspace = copy();

        assertThat(workspace.toFile().list()).containsExactlyInAnyOrder("CLAUDE.md", ".claude");
        assertThat(workspace.resolve(".claude").toFile().list()).containsExactly("skills");
    }

    @Test
    void copiesFilesDirectoriesModesAndTimes() throws IOException {
        var script = Files.writeString(agent.resolve(".claude/run.sh"), "#!/bin/sh\n");
        Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("r-xr-xr-x"));
        Files.setLastModifiedTime(script, FileTime.from(Instant.ofEpochSecond(1_000_000_000)));

        var workspace = copy();

        assertThat(workspace.resolve("CLAUDE.md")).hasContent("hello");
        assertThat(workspace.resolve(".claude/skills")).isEmptyDirectory();
        assertThat(mode(workspace.resolve(".claude/run.sh"))).isEqualTo("rwxr-xr-x");
        assertThat(Files.getLastModifiedTime(workspace.resolve(".claude/run.sh")).toInstant())
                .isEqualTo(Instant.ofEpochSecond(1_000_000_000));
        assertThat(mode(workspace)).isEqualTo("rwx------");
    }

    @Test
    void dropsSetuidBits() throws IOException {
        Files.setAttribute(agent.resolve("CLAUDE.md"), "unix:mode", 06755);

        var copy = copy().resolve("CLAUDE.md");

        assertThat((Integer) Files.getAttribute(copy, "unix:mode") & 07777).isEqualTo(0755);
    }

    @Test
    void keepsInternalLinks() throws IOException {
        Files.createSymbolicLink(agent.resolve("AGENTS.md"), Path.of("CLAUDE.md"));
        Files.createSymbolicLink(agent.resolve(".claude/up"), Path.of("../CLAUDE.md"));
        Files.createSymbolicLink(agent.resolve("later"), Path.of("made/by/build"));

        var workspace = copy();

        assertThat(Files.readSymbolicLink(workspace.resolve("AGENTS.md")))
                .isEqualTo(Path.of("CLAUDE.md"));
        assertThat(workspace.resolve(".claude/up")).hasContent("hello");
        assertThat(Files.isSymbolicLink(workspace.resolve("later"))).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"/etc/passwd", "../secret", ".claude/../../secret", "round/../secret"})
    void rejectsExternalLinks(String target) throws IOException {
        Files.writeString(directory.resolve("secret"), "secret");
        Files.createSymbolicLink(agent.resolve("round"), Path.of("."));
        Files.createSymbolicLink(agent.resolve("bad"), Path.of(target));

        assertThatThrownBy(this::copy)
                .isInstanceOfSatisfying(
                        ApiException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.AGENT_UNUSABLE))
                .hasMessageContaining("bad");
    }

    @Test
    void rejectsSpecialFiles() throws Exception {
        new ProcessBuilder("mkfifo", agent.resolve("pipe").toString()).start().waitFor();

        assertThatThrownBy(this::copy)
                .isInstanceOf(ApiException.class)
                .hasMessageContaining("pipe in the agent's directory is not a file");
    }

    @Test
    void reportsMissingAgentDirectory() {
        agent = directory.resolve("nowhere");

        assertThatThrownBy(this::copy)
                .isInstanceOf(ApiException.class)
                .hasMessageContaining("nowhere");
    }
}
