package dev.ash.server.project;

import static dev.ash.protocol.TenantId.DEFAULT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.TenantId;
import dev.ash.sandbox.files.UidRange;
import dev.ash.sandbox.launch.HostUser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ProjectsTest {
    @TempDir private Path directory;
    private Path root;
    private Path project;
    private Path data;
    private Path home;
    private int serverUser;
    private boolean isRoot;

    @BeforeEach
    void createDirectories() throws IOException {
        directory = directory.toRealPath();
        root = Files.createDirectory(directory.resolve("root"));
        project = Files.createDirectory(root.resolve("project"));
        data = Files.createDirectory(directory.resolve("data"));
        home = Files.createDirectory(directory.resolve("home"));
        serverUser = (Integer) Files.getAttribute(project, "unix:uid");
        isRoot = serverUser == 0;
        if (isRoot) {
            serverUser = 4711;
            changeOwner(project);
        }
    }

    private void changeOwner(Path path) throws IOException {
        if (isRoot) {
            Files.setAttribute(path, "unix:uid", serverUser);
        }
    }

    /** Projects of a server that does not run as root, even if the tests do. */
    private Projects unprivileged(Path... roots) {
        return projects(serverUser, roots);
    }

    private Projects projects(int serverUid, Path... roots) {
        return new Projects(Roots.none(Roots.PROJECTS).and(List.of(roots)), directories(serverUid));
    }

    private HostDirectories directories(int serverUid) {
        return new HostDirectories(
                new HomeDirectories(List.of(home), directory.resolve("passwd")), data, serverUid);
    }

    private static void assertRejected(ThrowingCallable call, String reason) {
        assertRejected(call, ErrorCode.VALIDATION_FAILED, reason);
    }

    private static void assertNotAllowed(ThrowingCallable call, String reason) {
        assertRejected(call, ErrorCode.PATH_NOT_ALLOWED, reason);
        assertThatThrownBy(call).hasMessageContaining("ASH_PROJECT_ROOTS");
    }

    private static void assertRejected(ThrowingCallable call, ErrorCode code, String reason) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        ApiException.class,
                        e -> {
                            assertThat(e.code()).isEqualTo(code);
                            assertThat(e.message())
                                    .startsWith("workingDirectory: ")
                                    .contains(reason);
                        });
    }

    @Test
    void admitsDirectoryOfServerUserBelowRoot() {
        var found = unprivileged(root).admit(DEFAULT, project.toString());

        assertThat(found.path()).isEqualTo(project);
        assertThat(found.owner()).isEmpty();
        assertThat(unprivileged(project).admit(DEFAULT, project + "/../project/").path())
                .isEqualTo(project);
    }

    @Test
    void usesOwnerOfDirectoryButNeverRoot() throws IOException {
        Assumptions.assumeTrue(isRoot);
        var projects = projects(0, root);

        assertRejected(() -> projects.admit(DEFAULT, root.toString()), "no agent works as root");
        assertThat(projects.admit(DEFAULT, project.toString()).owner())
                .contains(new HostUser(4711, 4711)); // never in root's group
        Files.setAttribute(project, "unix:gid", 4712);
        assertThat(projects.admit(DEFAULT, project.toString()).owner())
                .contains(new HostUser(4711, 4712));
        Files.setAttribute(project, "unix:uid", UidRange.DEFAULT.first());
        assertRejected(() -> projects.admit(DEFAULT, project.toString()), "reserved for sandboxes");
    }

    @Test
    void rejectsDirectoryOfAnotherUserWithoutRoot() {
        var other = projects(serverUser + 1, root);

        assertRejected(
                () -> other.admit(DEFAULT, project.toString()), "belongs to user " + serverUser);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "project", "./project", "~/project", "/a\0b"})
    void rejectsRelativePaths(String path) {
        assertRejected(() -> unprivileged(root).admit(DEFAULT, path), "absolute path");
    }

    @Test
    void rejectsPathsOutsideRootsWhetherOrNotTheyExist() throws IOException {
        var beside = Files.createDirectory(directory.resolve("root2"));

        for (var path :
                List.of(beside.toString(), directory + "/nowhere", root + "/../root2", "/")) {
            assertNotAllowed(
                    () -> unprivileged(root).admit(DEFAULT, path), "is not inside a directory");
        }
        assertRejected(
                () -> unprivileged(root).admit(DEFAULT, root + "/nowhere"), "does not exist");
        Files.createFile(root.resolve("file"));
        assertRejected(
                () -> unprivileged(root).admit(DEFAULT, root + "/file"), "is not a directory");
    }

    @Test
    void checksTargetsOfLinks() throws IOException {
        Files.createSymbolicLink(root.resolve("out"), directory);
        Files.createSymbolicLink(root.resolve("in"), project);
        Files.createSymbolicLink(directory.resolve("alias"), root);

        assertNotAllowed(
                () -> unprivileged(root).admit(DEFAULT, root + "/out"),
                "is not inside a directory");
        assertNotAllowed(
                () -> unprivileged(root).admit(DEFAULT, root + "/out/data"),
                "is not inside a directory");
        assertThat(unprivileged(root).admit(DEFAULT, root + "/in").path()).isEqualTo(project);
        assertThat(
                        unprivileged(directory.resolve("alias"))
                                .admit(DEFAULT, directory + "/alias/project")
                                .path())
                .isEqualTo(project);
    }

    @Test
    void rejectsDirectoryReplacedByLink() throws IOException {
        var other = Files.createDirectory(root.resolve("other"));
        Files.delete(project);
        Files.createSymbolicLink(project, other);

        changeOwner(other);
        assertRejected(() -> unprivileged(root).readmit(DEFAULT, project), "is now a link");
        assertThat(unprivileged(root).readmit(DEFAULT, other).path()).isEqualTo(other);
    }

    @Test
    void rejectsDataDirectory() throws IOException {
        var inside = Files.createDirectory(data.resolve("sandboxes"));

        for (var path : List.of(directory, data, inside)) {
            assertNotAllowed(
                    () -> unprivileged(directory).admit(DEFAULT, path.toString()),
                    "data directory");
        }
    }

    @Test
    void rejectsHomeDirectories() throws IOException {
        var inside = Files.createDirectory(home.resolve("mine"));
        changeOwner(inside);
        Files.createSymbolicLink(root.resolve("alias"), home);
        var other = Files.createDirectories(directory.resolve("people/other"));
        var service = Files.createDirectory(directory.resolve("service"));
        changeOwner(other);
        changeOwner(service);
        Files.writeString(
                directory.resolve("passwd"),
                "other:x:1000:1000::%s:/bin/sh\nservice:x:33:33::%s:/bin/sh\nbroken\nno:x:y:z::/x:\n"
                        .formatted(other, service));
        var projects = unprivileged(root, home, other, other.getParent(), service);

        for (var path : List.of(home, root.resolve("alias"), other, other.getParent())) {
            assertNotAllowed(() -> projects.admit(DEFAULT, path.toString()), "home directory");
        }
        assertThat(projects.admit(DEFAULT, inside.toString()).path()).isEqualTo(inside);
        assertThat(projects.admit(DEFAULT, root + "/alias/mine").path()).isEqualTo(inside);
        assertThat(projects.admit(DEFAULT, service.toString()).path()).isEqualTo(service);
    }

    @Test
    void rejectsHiddenDirectoriesBelowRoots() throws IOException {
        var hidden = Files.createDirectories(root.resolve("a/.config/app"));
        var enabled = Files.createDirectories(directory.resolve(".opened/app"));
        changeOwner(enabled);
        Files.createSymbolicLink(root.resolve("keys"), hidden);
        var projects = unprivileged(root, enabled.getParent());

        for (var path :
                List.of("/a/.config", "/a/.config/app", "/.nowhere", "/keys", "/a/../.x/y")) {
            assertNotAllowed(() -> projects.admit(DEFAULT, root + path), "starts with a dot");
        }
        assertThat(projects.admit(DEFAULT, enabled.toString()).path()).isEqualTo(enabled);
        assertThat(unprivileged(hidden, hidden.getParent()).admit(DEFAULT, owned(hidden)).path())
                .isEqualTo(hidden);
    }

    private String owned(Path path) throws IOException {
        changeOwner(path);
        return path.toString();
    }

    @Test
    void doesNotRevealWhetherOutsideLinkTargetExists() throws IOException {
        Files.createSymbolicLink(root.resolve("out"), directory);
        Files.createSymbolicLink(root.resolve("there"), data);
        Files.createSymbolicLink(root.resolve("nowhere"), directory.resolve("no-such-directory"));
        Files.createSymbolicLink(root.resolve("loop"), root.resolve("loop"));

        for (var path : List.of("/out", "/out/data", "/out/no", "/there", "/nowhere/x", "/loop")) {
            assertNotAllowed(
                    () -> unprivileged(root).admit(DEFAULT, root + path),
                    "is not inside a directory");
        }
    }

    @Test
    void admitsOnlyTenantOfRoot() throws IOException {
        var shared = Files.createDirectory(directory.resolve("shared"));
        changeOwner(shared);
        var acme = new TenantId("acme");
        var projects =
                new Projects(
                        Roots.parse(Roots.PROJECTS, "acme=" + root + ":*=" + shared),
                        directories(serverUser));

        assertThat(projects.admit(acme, project.toString()).path()).isEqualTo(project);
        assertThat(projects.readmit(acme, project).path()).isEqualTo(project);
        assertNotAllowed(() -> projects.admit(DEFAULT, project.toString()), "is not inside");
        assertNotAllowed(() -> projects.readmit(DEFAULT, project), "is not inside");
        for (var tenant : List.of(acme, DEFAULT, new TenantId("other"))) {
            assertThat(projects.admit(tenant, shared.toString()).path()).isEqualTo(shared);
        }
    }

    @Test
    void withoutRootsAdmitsHomeForDefaultTenantUnlessServerIsRoot() throws IOException {
        var inside = Files.createDirectory(home.resolve("mine"));
        changeOwner(inside);
        var environment = Map.of("HOME", home.toString());
        var rootServer = Projects.of(Optional.empty(), environment, directories(0));
        var userServer = Projects.of(Optional.empty(), environment, directories(serverUser));

        assertNotAllowed(
                () -> rootServer.admit(DEFAULT, inside.toString()), "may not use any directory");
        assertThat(userServer.admit(DEFAULT, inside.toString()).path()).isEqualTo(inside);
        assertNotAllowed(() -> userServer.admit(DEFAULT, home.toString()), "home directory");
        assertNotAllowed(
                () -> userServer.admit(new TenantId("acme"), inside.toString()), "tenant \"acme\"");
        HostDirectories.of(environment, data);
        assertThat(data.toFile().list()).isEmpty();
    }

    @Test
    void admitsPairRepositoriesAddedWhileServerRuns() throws IOException {
        var projects = unprivileged();
        assertThatThrownBy(() -> projects.admitRepository(DEFAULT, project.toString()))
                .hasMessageContaining("repository: ");

        Files.writeString(data.resolve("pair-repositories"), "# mine\n\n" + project + "\n/\0\n");
        assertThatThrownBy(() -> projects.admitRepository(DEFAULT, project.toString()))
                .as("an invalid file admits nothing")
                .hasMessageContaining("repository: ");

        Files.writeString(data.resolve("pair-repositories"), "# mine\n\n" + project + "\n");
        assertThat(projects.admitRepository(DEFAULT, project.toString()).path()).isEqualTo(project);
        assertThatThrownBy(() -> projects.admitRepository(DEFAULT, root.toString()))
                .hasMessageContaining("repository: ");
        assertNotAllowed(
                () -> projects.admit(DEFAULT, project.toString()), "may not use any directory");
        assertThatThrownBy(() -> projects.admitRepository(new TenantId("acme"), project.toString()))
                .hasMessageContaining("tenant \"acme\"");
    }
}
