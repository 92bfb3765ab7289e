package dev.ash.server.workspace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.ash.protocol.GitNames;
import dev.ash.sandbox.launch.HostUser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TreeCopyTest {
    private static final int OWNER = 4711;

    @TempDir private Path directory;
    private Path from;
    private Path to;

    @BeforeEach
    void createDirectories() throws IOException {
        directory = directory.toRealPath();
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
        from = Files.createDirectory(directory.resolve("from"));
        to = Files.createDirectory(directory.resolve("to"));
        Files.writeString(from.resolve("CLAUDE.md"), "hello");
    }

    private List<String> copy(Optional<HostUser> reader, boolean mustBeRootOwned)
            throws IOException {
        try (var pinned = PinnedDirectory.open(from)) {
            return TreeCopy.copy(
                    new TreeCopy.Source(pinned.files(), reader, mustBeRootOwned),
                    new FileTree(to, OptionalInt.empty()),
                    GitNames::isGitDirectory);
        }
    }

    private List<String> copy() throws IOException {
        return copy(Optional.empty(), false);
    }

    private static boolean isRoot() {
        return "root".equals(System.getProperty("user.name"));
    }

    private static Path file(Path path, String text, String mode) throws IOException {
        Files.writeString(path, text);
        return Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(mode));
    }

    @Test
    void copiesFilesDirectoriesInsideLinksAndExecutablePermission() throws IOException {
        Files.createDirectories(from.resolve("a/b/empty"));
        file(from.resolve("a/run.sh"), "#!/bin/sh\n", "r-xr--r--");
        Files.createSymbolicLink(from.resolve("a/b/link"), Path.of("../run.sh"));

        assertThat(copy()).isEmpty();

        assertThat(to.resolve("CLAUDE.md")).hasContent("hello");
        assertThat(to.resolve("a/b/empty")).isEmptyDirectory();
        assertThat(Files.isExecutable(to.resolve("a/run.sh"))).isTrue();
        assertThat(Files.readSymbolicLink(to.resolve("a/b/link"))).hasToString("../run.sh");
    }

    @Test
    void skipsAndReportsGitDirectories() throws IOException {
        for (var name : List.of(".git", "a/.GIT", "a/.Git", "b/.g\u200cit", "GIT~1", "c/.git. ")) {
            Files.createDirectories(from.resolve(name));
            Files.writeString(from.resolve(name).resolve("config"), "[filter]");
        }
        Files.createDirectory(from.resolve("sub"));
        Files.writeString(from.resolve("sub/.git"), "gitdir: ../elsewhere");
        Files.writeString(from.resolve(".gitignore"), "x");

        assertThat(copy())
                .containsExactly(
                        ".git",
                        "GIT~1",
                        "a/.GIT",
                        "a/.Git",
                        "b/.g\u200cit",
                        "c/.git. ",
                        "sub/.git");

        assertThat(to.toFile().list())
                .containsExactlyInAnyOrder("CLAUDE.md", ".gitignore", "a", "b", "c", "sub");
        assertThat(to.resolve("a")).isEmptyDirectory();
        assertThat(to.resolve("sub")).isEmptyDirectory();
    }

    @Test
    void rejectsOutsideLinksAndSpecialFiles() throws Exception {
        var link = Files.createSymbolicLink(from.resolve("link"), Path.of("/etc/passwd"));
        assertThatThrownBy(this::copy).hasMessageContaining("target outside");
        Files.delete(link);

        var process = new ProcessBuilder("mkfifo", from.resolve("fifo").toString()).start();
        assertThat(process.waitFor()).isZero();
        assertThatThrownBy(this::copy).hasMessageContaining("neither a file nor a directory");
    }

    @Test
    void failsOnFilesThatOwnerCannotRead() throws IOException {
        assumeTrue(isRoot(), "only root has files that another user cannot read");
        Files.setAttribute(from, "unix:uid", OWNER);
        var owner = Optional.of(new HostUser(OWNER, OWNER));
        assertThat(copy(owner, false)).isEmpty();
        assertThat(to.resolve("CLAUDE.md")).hasContent("hello");
        var secret = file(directory.resolve("secret"), "root only", "rw-------");

        var linked = Files.createLink(from.resolve("hard"), secret);
        assertThatThrownBy(() -> copy(owner, false)).hasMessageContaining("permission denied");
        Files.delete(linked);

        var closed = Files.createDirectory(from.resolve("closed"));
        Files.setPosixFilePermissions(closed, PosixFilePermissions.fromString("rwx------"));
        assertThatThrownBy(() -> copy(owner, false)).hasMessageContaining("permission denied");
    }

    @Test
    void dropsGroupsOfServerForAnotherUser() throws Exception {
        assumeTrue(isRoot(), "only root can act as another user");

        var status =
                RunAs.call(
                        OWNER, OWNER, () -> Files.readString(Path.of("/proc/thread-self/status")));

        assertThat(status)
                .containsPattern("(?m)^Groups:\\s*$")
                .containsPattern("(?m)^Gid:\\s+0\\s+0\\s+0\\s+" + OWNER + "$");
    }

    @Test
    void rejectsRootDirectoriesWritableByOthers() throws IOException {
        assumeTrue(isRoot(), "only root can create directories owned by root");
        var inside = Files.createDirectory(from.resolve("inside"));
        Files.setPosixFilePermissions(inside, PosixFilePermissions.fromString("rwxr-xr-x"));
        assertThat(copy(Optional.empty(), true)).isEmpty();

        Files.setPosixFilePermissions(inside, PosixFilePermissions.fromString("rwxrwxrwx"));
        assertThatThrownBy(() -> copy(Optional.empty(), true)).hasMessageContaining("inside");
        Files.setPosixFilePermissions(inside, PosixFilePermissions.fromString("rwxr-xr-x"));
        Files.setAttribute(inside, "unix:uid", OWNER);
        assertThatThrownBy(() -> copy(Optional.empty(), true)).hasMessageContaining("inside");
        Files.delete(inside);
        Files.setPosixFilePermissions(from, PosixFilePermissions.fromString("rwxrwxr-x"));
        assertThatThrownBy(() -> copy(Optional.empty(), true))
                .hasMessageContaining("writable by other users");
    }

    @Test
    void pinnedDirectoryIsUnaffectedByReplacement() throws IOException {
        var other = Files.createDirectory(directory.resolve("other"));
        Files.writeString(other.resolve("secret"), "x");
        try (var pinned = PinnedDirectory.open(from)) {
            Files.move(from, directory.resolve("moved"));
            Files.createSymbolicLink(from, other);

            assertThat(pinned.files().children("", 10))
                    .extracting(DirectoryEntry::name)
                    .containsExactly("CLAUDE.md");
        }
        assertThatThrownBy(() -> PinnedDirectory.open(from))
                .hasMessageContaining("no longer exists");
    }
}
