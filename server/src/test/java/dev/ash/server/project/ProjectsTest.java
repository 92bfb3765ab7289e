package dev.ash.server.project;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
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
    private int self;
    private boolean isRoot;

    @BeforeEach
    void make() throws IOException {
        folder = folder.toRealPath();
        root = Files.createDirectory(folder.resolve("root"));
        project = Files.createDirectory(root.resolve("project"));
        data = Files.createDirectory(folder.resolve("data"));
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
        return new Projects(Roots.of(List.of(roots)), data, self);
    }

    private static void assertRefused(ThrowingCallable call, String because) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        ApiException.class,
                        e -> {
                            assertThat(e.code()).isEqualTo(ErrorCode.VALIDATION_FAILED);
                            assertThat(e.sentence())
                                    .startsWith("workingDirectory: ")
                                    .contains(because);
                        });
    }

    @Test
    void aFolderOfItsOwnUserBelowARootIsAdmitted() {
        var found = ordinary(root).admit(project.toString());

        assertThat(found.path()).isEqualTo(project);
        assertThat(found.owner()).isEmpty();
        assertThat(ordinary(project).admit(project + "/../project/").path()).isEqualTo(project);
    }

    @Test
    void rootWorksAsTheOwnerButNeverAsRoot() throws IOException {
        Assumptions.assumeTrue(isRoot);
        var projects = new Projects(Roots.of(List.of(root)), data, 0);

        assertRefused(() -> projects.admit(root.toString()), "no agent works as root");
        assertThat(projects.admit(project.toString()).owner())
                .contains(new HostUser(4711, 4711)); // not in root's group either
        Files.setAttribute(project, "unix:gid", 4712);
        assertThat(projects.admit(project.toString()).owner()).contains(new HostUser(4711, 4712));
        Files.setAttribute(project, "unix:uid", UidRange.USUAL.first());
        assertRefused(() -> projects.admit(project.toString()), "some sandbox's own");
    }

    @Test
    void anOrdinaryServerWorksInNobodyElsesFolder() {
        var other = new Projects(Roots.of(List.of(root)), data, self + 1);

        assertRefused(() -> other.admit(project.toString()), "belongs to user " + self);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "project", "./project", "~/project", "/a\0b"})
    void aPathMustBeAbsolute(String path) {
        assertRefused(() -> ordinary(root).admit(path), "absolute path");
    }

    @Test
    void whatLiesElsewhereIsRefusedWhetherItIsThereOrNot() throws IOException {
        var beside = Files.createDirectory(folder.resolve("root2"));

        for (var path : List.of(beside.toString(), folder + "/nowhere", root + "/../root2", "/")) {
            assertRefused(() -> ordinary(root).admit(path), "does not lie in a folder");
        }
        assertRefused(() -> ordinary(root).admit(root + "/nowhere"), "does not exist");
        Files.createFile(root.resolve("file"));
        assertRefused(() -> ordinary(root).admit(root + "/file"), "is not a folder");
    }

    @Test
    void aLinkCountsAsWhatItLeadsTo() throws IOException {
        Files.createSymbolicLink(root.resolve("out"), folder);
        Files.createSymbolicLink(root.resolve("in"), project);
        Files.createSymbolicLink(folder.resolve("alias"), root);

        assertRefused(() -> ordinary(root).admit(root + "/out"), "does not lie in a folder");
        assertRefused(() -> ordinary(root).admit(root + "/out/data"), "does not lie in a folder");
        assertThat(ordinary(root).admit(root + "/in").path()).isEqualTo(project);
        assertThat(ordinary(folder.resolve("alias")).admit(folder + "/alias/project").path())
                .isEqualTo(project);
    }

    @Test
    void aFolderThatBecameALinkIsNotTheSameAnyMore() throws IOException {
        var other = Files.createDirectory(root.resolve("other"));
        Files.delete(project);
        Files.createSymbolicLink(project, other);

        give(other);
        assertRefused(() -> ordinary(root).stillAdmitted(project), "has become a link");
        assertThat(ordinary(root).stillAdmitted(other).path()).isEqualTo(other);
    }

    @Test
    void theServersOwnFilesAreNobodysProject() throws IOException {
        var inside = Files.createDirectory(data.resolve("sandboxes"));

        for (var path : List.of(folder, data, inside)) {
            assertRefused(() -> ordinary(folder).admit(path.toString()), "data directory");
        }
    }

    @Test
    void aHomeThatNobodyChoseKeepsItsSecrets() throws IOException {
        var home = new Projects(Roots.ofHome(root), data, self);
        Files.createDirectories(root.resolve(".ssh"));
        Files.createDirectories(root.resolve(".config/app"));

        for (var path : List.of("", "/.ssh", "/.config/app")) {
            assertRefused(() -> home.admit(root + path), "does not lie in a folder");
        }
        Files.createSymbolicLink(root.resolve("keys"), root.resolve(".ssh"));
        assertRefused(() -> home.admit(root + "/keys"), "does not lie in a folder");
    }

    @Test
    void withoutRootsNothingIsOpenToRootAndTheHomeToOthers() throws IOException {
        var projects = Projects.of(Optional.empty(), Map.of("HOME", root.toString()), data);

        if (isRoot) {
            assertRefused(() -> projects.admit(project.toString()), "ASH_PROJECT_ROOTS");
        } else {
            assertThat(projects.admit(project.toString()).path()).isEqualTo(project);
        }
        assertThat(data.toFile().list()).isEmpty();
    }

    @Test
    void aRepositoryIsOpenedToPairsWhileTheServerRuns() throws IOException {
        var projects = ordinary();
        assertThatThrownBy(() -> projects.admitRepository(project.toString()))
                .hasMessageContaining("repository: ");

        Files.writeString(data.resolve("pair-repositories"), "# mine\n\n" + project + "\n/\0\n");
        assertThatThrownBy(() -> projects.admitRepository(project.toString()))
                .as("a file that is no list of paths opens nothing")
                .hasMessageContaining("repository: ");

        Files.writeString(data.resolve("pair-repositories"), "# mine\n\n" + project + "\n");
        assertThat(projects.admitRepository(project.toString()).path()).isEqualTo(project);
        assertThatThrownBy(() -> projects.admitRepository(root.toString()))
                .hasMessageContaining("repository: ");
        assertRefused(() -> projects.admit(project.toString()), "ASH_PROJECT_ROOTS");
    }
}
