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
    @TempDir private Path folder;
    private Path root;
    private Path project;
    private Path data;
    private Path home;
    private int self;
    private boolean isRoot;

    @BeforeEach
    void make() throws IOException {
        folder = folder.toRealPath();
        root = Files.createDirectory(folder.resolve("root"));
        project = Files.createDirectory(root.resolve("project"));
        data = Files.createDirectory(folder.resolve("data"));
        home = Files.createDirectory(folder.resolve("home"));
        self = (Integer) Files.getAttribute(project, "unix:uid");
        isRoot = self == 0;
        if (isRoot) {
            self = 4711;
            give(project);
        }
    }

    private void give(Path path) throws IOException {
        if (isRoot) {
            Files.setAttribute(path, "unix:uid", self);
        }
    }

    /** As one who is not root sees it, whoever runs the tests. */
    private Projects ordinary(Path... roots) {
        return projects(self, roots);
    }

    private Projects projects(int serverUid, Path... roots) {
        return new Projects(Roots.none(Roots.PROJECTS).and(List.of(roots)), folders(serverUid));
    }

    private HostFolders folders(int serverUid) {
        return new HostFolders(new Homes(List.of(home), folder.resolve("passwd")), data, serverUid);
    }

    private static void assertRefused(ThrowingCallable call, String because) {
        assertRefused(call, ErrorCode.VALIDATION_FAILED, because);
    }

    private static void assertNotAllowed(ThrowingCallable call, String because) {
        assertRefused(call, ErrorCode.PATH_NOT_ALLOWED, because);
        assertThatThrownBy(call).hasMessageContaining("ASH_PROJECT_ROOTS");
    }

    private static void assertRefused(ThrowingCallable call, ErrorCode code, String because) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        ApiException.class,
                        e -> {
                            assertThat(e.code()).isEqualTo(code);
                            assertThat(e.message())
                                    .startsWith("workingDirectory: ")
                                    .contains(because);
                        });
    }

    @Test
    void aFolderOfItsOwnUserBelowARootIsAdmitted() {
        var found = ordinary(root).admit(DEFAULT, project.toString());

        assertThat(found.path()).isEqualTo(project);
        assertThat(found.owner()).isEmpty();
        assertThat(ordinary(project).admit(DEFAULT, project + "/../project/").path())
                .isEqualTo(project);
    }

    @Test
    void rootWorksAsTheOwnerButNeverAsRoot() throws IOException {
        Assumptions.assumeTrue(isRoot);
        var projects = projects(0, root);

        assertRefused(() -> projects.admit(DEFAULT, root.toString()), "no agent works as root");
        assertThat(projects.admit(DEFAULT, project.toString()).owner())
                .contains(new HostUser(4711, 4711)); // not in root's group either
        Files.setAttribute(project, "unix:gid", 4712);
        assertThat(projects.admit(DEFAULT, project.toString()).owner())
                .contains(new HostUser(4711, 4712));
        Files.setAttribute(project, "unix:uid", UidRange.USUAL.first());
        assertRefused(() -> projects.admit(DEFAULT, project.toString()), "some sandbox's own");
    }

    @Test
    void anOrdinaryServerWorksInNobodyElsesFolder() {
        var other = projects(self + 1, root);

        assertRefused(() -> other.admit(DEFAULT, project.toString()), "belongs to user " + self);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "project", "./project", "~/project", "/a\0b"})
    void aPathMustBeAbsolute(String path) {
        assertRefused(() -> ordinary(root).admit(DEFAULT, path), "absolute path");
    }

    @Test
    void whatLiesElsewhereIsRefusedWhetherItIsThereOrNot() throws IOException {
        var beside = Files.createDirectory(folder.resolve("root2"));

        for (var path : List.of(beside.toString(), folder + "/nowhere", root + "/../root2", "/")) {
            assertNotAllowed(() -> ordinary(root).admit(DEFAULT, path), "does not lie in a folder");
        }
        assertRefused(() -> ordinary(root).admit(DEFAULT, root + "/nowhere"), "does not exist");
        Files.createFile(root.resolve("file"));
        assertRefused(() -> ordinary(root).admit(DEFAULT, root + "/file"), "is not a folder");
    }

    @Test
    void aLinkCountsAsWhatItLeadsTo() throws IOException {
        Files.createSymbolicLink(root.resolve("out"), folder);
        Files.createSymbolicLink(root.resolve("in"), project);
        Files.createSymbolicLink(folder.resolve("alias"), root);

        assertNotAllowed(
                () -> ordinary(root).admit(DEFAULT, root + "/out"), "does not lie in a folder");
        assertNotAllowed(
                () -> ordinary(root).admit(DEFAULT, root + "/out/data"),
                "does not lie in a folder");
        assertThat(ordinary(root).admit(DEFAULT, root + "/in").path()).isEqualTo(project);
        assertThat(
                        ordinary(folder.resolve("alias"))
                                .admit(DEFAULT, folder + "/alias/project")
                                .path())
                .isEqualTo(project);
    }

    @Test
    void aFolderThatBecameALinkIsNotTheSameAnyMore() throws IOException {
        var other = Files.createDirectory(root.resolve("other"));
        Files.delete(project);
        Files.createSymbolicLink(project, other);

        give(other);
        assertRefused(() -> ordinary(root).stillAdmitted(DEFAULT, project), "has become a link");
        assertThat(ordinary(root).stillAdmitted(DEFAULT, other).path()).isEqualTo(other);
    }

    @Test
    void theServersOwnFilesAreNobodysProject() throws IOException {
        var inside = Files.createDirectory(data.resolve("sandboxes"));

        for (var path : List.of(folder, data, inside)) {
            assertNotAllowed(
                    () -> ordinary(folder).admit(DEFAULT, path.toString()), "data directory");
        }
    }

    @Test
    void noHomeDirectoryIsAProjectWhateverTheRootsAre() throws IOException {
        var mine = Files.createDirectory(home.resolve("mine"));
        give(mine);
        Files.createSymbolicLink(root.resolve("alias"), home);
        var other = Files.createDirectories(folder.resolve("people/other"));
        var service = Files.createDirectory(folder.resolve("service"));
        give(other);
        give(service);
        Files.writeString(
                folder.resolve("passwd"),
                "other:x:1000:1000::%s:/bin/sh\nservice:x:33:33::%s:/bin/sh\nbroken\nno:x:y:z::/x:\n"
                        .formatted(other, service));
        var projects = ordinary(root, home, other, other.getParent(), service);

        for (var path : List.of(home, root.resolve("alias"), other, other.getParent())) {
            assertNotAllowed(() -> projects.admit(DEFAULT, path.toString()), "home directory");
        }
        assertThat(projects.admit(DEFAULT, mine.toString()).path()).isEqualTo(mine);
        assertThat(projects.admit(DEFAULT, root + "/alias/mine").path()).isEqualTo(mine);
        assertThat(projects.admit(DEFAULT, service.toString()).path()).isEqualTo(service);
    }

    @Test
    void nothingHiddenBelowARootIsAProject() throws IOException {
        var hidden = Files.createDirectories(root.resolve("a/.config/app"));
        var opened = Files.createDirectories(folder.resolve(".opened/app"));
        give(opened);
        Files.createSymbolicLink(root.resolve("keys"), hidden);
        var projects = ordinary(root, opened.getParent());

        for (var path :
                List.of("/a/.config", "/a/.config/app", "/.nowhere", "/keys", "/a/../.x/y")) {
            assertNotAllowed(() -> projects.admit(DEFAULT, root + path), "starts with a dot");
        }
        assertThat(projects.admit(DEFAULT, opened.toString()).path()).isEqualTo(opened);
        assertThat(ordinary(hidden, hidden.getParent()).admit(DEFAULT, opened(hidden)).path())
                .isEqualTo(hidden);
    }

    private String opened(Path path) throws IOException {
        give(path);
        return path.toString();
    }

    @Test
    void whetherALinkLeadsToSomethingOutsideIsNotRevealed() throws IOException {
        Files.createSymbolicLink(root.resolve("out"), folder);
        Files.createSymbolicLink(root.resolve("there"), data);
        Files.createSymbolicLink(root.resolve("nowhere"), folder.resolve("no-such-folder"));
        Files.createSymbolicLink(root.resolve("loop"), root.resolve("loop"));

        for (var path : List.of("/out", "/out/data", "/out/no", "/there", "/nowhere/x", "/loop")) {
            assertNotAllowed(
                    () -> ordinary(root).admit(DEFAULT, root + path), "does not lie in a folder");
        }
    }

    @Test
    void aRootIsOpenToItsTenantOnly() throws IOException {
        var shared = Files.createDirectory(folder.resolve("shared"));
        give(shared);
        var acme = new TenantId("acme");
        var projects =
                new Projects(
                        Roots.parse(Roots.PROJECTS, "acme=" + root + ":*=" + shared),
                        folders(self));

        assertThat(projects.admit(acme, project.toString()).path()).isEqualTo(project);
        assertThat(projects.stillAdmitted(acme, project).path()).isEqualTo(project);
        assertNotAllowed(() -> projects.admit(DEFAULT, project.toString()), "does not lie in");
        assertNotAllowed(() -> projects.stillAdmitted(DEFAULT, project), "does not lie in");
        for (var tenant : List.of(acme, DEFAULT, new TenantId("other"))) {
            assertThat(projects.admit(tenant, shared.toString()).path()).isEqualTo(shared);
        }
    }

    @Test
    void withoutRootsNothingIsOpenToRootAndTheHomeToTheDefaultTenantOfOthers() throws IOException {
        var mine = Files.createDirectory(home.resolve("mine"));
        give(mine);
        var environment = Map.of("HOME", home.toString());
        var ofRoot = Projects.of(Optional.empty(), environment, folders(0));
        var ofOthers = Projects.of(Optional.empty(), environment, folders(self));

        assertNotAllowed(() -> ofRoot.admit(DEFAULT, mine.toString()), "no folder");
        assertThat(ofOthers.admit(DEFAULT, mine.toString()).path()).isEqualTo(mine);
        assertNotAllowed(() -> ofOthers.admit(DEFAULT, home.toString()), "home directory");
        assertNotAllowed(
                () -> ofOthers.admit(new TenantId("acme"), mine.toString()), "tenant \"acme\"");
        HostFolders.of(environment, data);
        assertThat(data.toFile().list()).isEmpty();
    }

    @Test
    void aRepositoryIsOpenedToPairsWhileTheServerRuns() throws IOException {
        var projects = ordinary();
        assertThatThrownBy(() -> projects.admitRepository(DEFAULT, project.toString()))
                .hasMessageContaining("repository: ");

        Files.writeString(data.resolve("pair-repositories"), "# mine\n\n" + project + "\n/\0\n");
        assertThatThrownBy(() -> projects.admitRepository(DEFAULT, project.toString()))
                .as("a file that is no list of paths opens nothing")
                .hasMessageContaining("repository: ");

        Files.writeString(data.resolve("pair-repositories"), "# mine\n\n" + project + "\n");
        assertThat(projects.admitRepository(DEFAULT, project.toString()).path()).isEqualTo(project);
        assertThatThrownBy(() -> projects.admitRepository(DEFAULT, root.toString()))
                .hasMessageContaining("repository: ");
        assertNotAllowed(() -> projects.admit(DEFAULT, project.toString()), "no folder");
        assertThatThrownBy(() -> projects.admitRepository(new TenantId("acme"), project.toString()))
                .hasMessageContaining("tenant \"acme\"");
    }
}
