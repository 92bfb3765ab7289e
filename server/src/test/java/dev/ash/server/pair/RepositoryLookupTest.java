package dev.ash.server.pair;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.ash.sandbox.launch.HostUser;
import dev.ash.server.project.Project;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RepositoryLookupTest {
    private static final int OWNER = 4711;
    private static final String CANARY = "CANARY-of-root";

    @TempDir Path temp;

    @Test
    void findsTheRepositoryOfASubdirectory() throws IOException {
        var top = Files.createDirectory(temp.resolve("shop"));
        Files.createDirectory(top.resolve(".git"));
        var below = Files.createDirectory(top.resolve("src"));

        var found = RepositoryLookup.of(project(below, Optional.empty()));

        assertThat(found.top()).isEqualTo(top.toRealPath());
        assertThat(found.id()).startsWith("shop-");
    }

    @Test
    void doesNotFollowLinksToFilesOfRoot() throws IOException {
        assumeTrue(
                System.getProperty("user.name").equals("root"),
                "requires root to act as other users");
        Files.setPosixFilePermissions(temp, PosixFilePermissions.fromString("rwxr-xr-x"));
        var secret = Files.writeString(temp.resolve("secret"), CANARY);
        Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString("rw-------"));
        var top = owned(Files.createDirectory(temp.resolve("shop")));
        var git = owned(Files.createDirectory(top.resolve(".git")));
        Files.createSymbolicLink(git.resolve("commondir"), secret);

        var project = project(top, Optional.of(new HostUser(OWNER, OWNER)));

        assertThatThrownBy(() -> RepositoryLookup.of(project))
                .isInstanceOf(IOException.class)
                .message()
                .doesNotContain(CANARY);
    }

    private static Path owned(Path path) throws IOException {
        Files.setAttribute(path, "unix:uid", OWNER);
        return Files.setAttribute(path, "unix:gid", OWNER);
    }

    private static Project project(Path path, Optional<HostUser> owner) throws IOException {
        return new Project(path.toRealPath(), owner, "key");
    }
}
