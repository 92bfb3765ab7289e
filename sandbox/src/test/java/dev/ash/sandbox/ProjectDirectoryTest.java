package dev.ash.sandbox;

import static dev.ash.sandbox.TestBed.run;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.SandboxId;
import dev.ash.protocol.SessionId;
import dev.ash.protocol.TenantId;
import dev.ash.protocol.rest.ResourceLimits;
import dev.ash.sandbox.launch.HostUser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Sandboxes that work in a directory of the host. */
class ProjectDirectoryTest {
    private static final HostUser OWNER = new HostUser(4711, 4712);

    private TestBed bed;
    private Path project;

    @BeforeEach
    void open() throws IOException {
        TestBed.needsBubblewrap();
        bed = new TestBed();
        project = Files.createDirectory(bed.root.resolve("project"));
        Files.writeString(project.resolve("mine"), "of the host\n");
        if (TestBed.isRoot()) {
            for (var path : new Path[] {project, project.resolve("mine")}) {
                Files.setAttribute(path, "unix:gid", OWNER.gid());
                Files.setAttribute(path, "unix:uid", OWNER.uid());
            }
        }
    }

    @AfterEach
    void close() throws IOException {
        if (bed != null) {
            bed.close();
        }
    }

    private SandboxSpec spec(SandboxId id, Path path, Object key) throws IOException {
        Optional<HostUser> owner = TestBed.isRoot() ? Optional.of(OWNER) : Optional.empty();
        bed.project = new ProjectDirectory(path, owner, key);
        return new SandboxSpec(
                id,
                SessionId.random(),
                TestBed.AGENT,
                Map.of(),
                bed.limits,
                bed.network,
                new ProjectRef(TenantId.DEFAULT, path.toString()),
                false,
                LaunchIds.random());
    }

    private SandboxSpec spec(SandboxId id) throws IOException {
        return spec(id, project, key(project));
    }

    private static Object key(Path path) throws IOException {
        return Files.readAttributes(path, BasicFileAttributes.class).fileKey();
    }

    @Test
    void mountsOnlyTheProjectAtItsHostPath() throws IOException {
        Files.writeString(bed.root.resolve("beside"), "secret");
        try (var sandbox = bed.manager("serves").launch(spec(SandboxId.random()))) {
            assertThat(run(sandbox, "pwd; cat mine; echo $ASH_WORKSPACE_DIR $ASH_PROJECT"))
                    .isEqualTo(project + "\nof the host\n" + project + " 1");
            assertThat(run(sandbox, "ls ..; ls")).isEqualTo("project\nmine");
            assertThat(run(sandbox, "ls -d /workspace")).contains("No such file");
            assertThat(run(sandbox, "id -u; echo made > made && cat made")).isEqualTo("1000\nmade");
        }
        assertThat(project.resolve("made")).hasContent("made");
        assertThat(project.resolve("CLAUDE.md")).doesNotExist();
    }

    @Test
    void createsFilesAsProjectOwner() throws IOException {
        TestBed.needsRoot();
        try (var sandbox = bed.manager("serves").launch(spec(SandboxId.random()))) {
            run(sandbox, "mkdir made");
        }

        assertThat(Files.getAttribute(project.resolve("made"), "unix:uid")).isEqualTo(OWNER.uid());
        assertThat(Files.getAttribute(project.resolve("made"), "unix:gid")).isEqualTo(OWNER.gid());
    }

    @Test
    void doesNotKillOtherProcessesOfOwner() throws Exception {
        TestBed.needsRoot();
        var id = SandboxId.random();
        var manager = bed.manager("serves");
        var other =
                new ProcessBuilder(
                                "setpriv",
                                "--reuid=" + OWNER.uid(),
                                "--regid=" + OWNER.gid(),
                                "--clear-groups",
                                "sleep",
                                "300")
                        .start();
        try {
            for (int i = 0; i < 2; i++) { // the second launch checks for leftovers of the first
                try (var sandbox = manager.launch(spec(id))) {
                    assertThat(run(sandbox, "kill -9 -1; kill -9 " + other.pid())).isNotNull();
                } catch (RuntimeException | IOException | AssertionError e) {
                    assertThat(other.isAlive()).as(e.toString()).isTrue(); // it killed its bridge
                }
            }
            manager.discard(id);

            assertThat(other.waitFor(200, TimeUnit.MILLISECONDS)).isFalse();
        } finally {
            other.destroyForcibly().waitFor();
        }
    }

    @Test
    void worksAndKillsDaemonsWithoutIsolation() throws Exception {
        bed.withoutBubblewrap();
        var manager = bed.manager("serves");
        var id = SandboxId.random();
        try (var sandbox = manager.launch(spec(id))) {
            assertThat(run(sandbox, "pwd; cat mine; touch made"))
                    .isEqualTo(project + "\nof the host");
            run(sandbox, "setsid sleep 300 > /dev/null 2>&1 &");
            // Its variables cannot be read at the moment of its exec.
            await().until(
                            () -> Processes.with(id.value()),
                            found -> found.stream().anyMatch(line -> line.contains("sleep 300")));
        }

        assertThat(Processes.with(id.value())).isEmpty();
        assertThat(Files.getAttribute(project.resolve("made"), "unix:uid"))
                .isEqualTo(Files.getAttribute(project, "unix:uid"));
    }

    @Test
    void isolatesSandboxesOfTheSameOwner() throws IOException {
        var manager = bed.manager("serves");
        var second = spec(SandboxId.random());
        try (var one = manager.launch(spec(SandboxId.random()));
                var two = manager.launch(second)) {
            run(two, "echo private > ~/secret; echo private > /tmp/secret");

            assertThat(run(one, "ls -A ~; ls /tmp | grep -v -e ash- -e .sock"))
                    .doesNotContain("secret");
            assertThat(run(one, "ls " + bed.dataDir)).contains("No such file");
            assertThat(run(one, "pkill -9 sleep; ls -d /proc/[0-9]* | wc -l").strip())
                    .satisfies(n -> assertThat(Integer.parseInt(n)).isLessThan(8));
            assertThat(run(two, "cat ~/secret")).isEqualTo("private");
        }
    }

    @Test
    void limitsHomeButNotProject() throws Exception {
        bed.limits = new ResourceLimits(null, null, null, 8);
        try (var sandbox = bed.manager("serves").launch(spec(SandboxId.random()))) {
            run(sandbox, "head -c 20000000 /dev/zero > large; sleep 2.5");
            assertThat(sandbox.isAlive()).isTrue();
            sandbox.bridge()
                    .send(
                            new dev.ash.protocol.bridge.BridgeCommand.Exec(
                                    "2", "head -c 20000000 /dev/zero > ~/large; sleep 60", 90_000));
            assertThat(sandbox.bridge().next()).isNull();
            assertThat(sandbox.exitReason()).contains("disk");
        }
    }

    @Test
    void rejectsProjectReplacedByLink() throws IOException {
        var id = SandboxId.random();
        var manager = bed.manager("serves");
        var checked = key(project);
        Files.move(project, bed.root.resolve("moved"));
        var secret = Files.createDirectory(bed.root.resolve("secret"));
        Files.createSymbolicLink(project, secret);

        assertThatThrownBy(() -> manager.launch(spec(id, project, checked)))
                .isInstanceOfSatisfying(
                        ApiException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.SANDBOX_FAILED))
                .hasMessageContaining("replaced by another directory");
        assertThat(manager.orphans()).isZero();
        manager.launch(spec(id, project, key(secret))).close(); // the slot is released
    }

    @Test
    void leavesNothingInProject() throws IOException {
        var manager = bed.manager("serves");
        var id = SandboxId.random();
        manager.launch(spec(id)).close();

        manager.discard(id);

        assertThat(project.resolve("mine")).hasContent("of the host");
        assertThat(project.toFile().list()).containsExactly("mine");
        assertThat(bed.dataDir.resolve("sandboxes").resolve(id.value())).doesNotExist();
    }

    @Test
    void copiesHomeAndUsesSameProject() throws IOException {
        var manager = bed.manager("serves");
        var from = SandboxId.random();
        var to = SandboxId.random();
        try (var sandbox = manager.launch(spec(from))) {
            run(sandbox, "echo talk > ~/session");
        }

        manager.copy(from, to);

        try (var copy = manager.launch(spec(to))) {
            assertThat(run(copy, "cat ~/session; pwd; echo more >> ~/session && cat mine"))
                    .isEqualTo("talk\n" + project + "\nof the host");
        }
        var home = bed.dataDir.resolve("sandboxes").resolve(to.value()).resolve("home");
        assertThat(Files.getAttribute(home, "unix:uid", LinkOption.NOFOLLOW_LINKS))
                .isEqualTo(Files.getAttribute(project, "unix:uid"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"/home/agent", "/home/agent/p", "/home", "/opt", "/etc/x", "/", "/dev"})
    void rejectsPathsReservedInSandboxes(String path) throws IOException {
        var manager = bed.manager("serves");

        assertThatThrownBy(
                        () -> manager.launch(spec(SandboxId.random(), Path.of(path), key(project))))
                .isInstanceOf(ApiException.class)
                .hasMessageContaining("workingDirectory");
    }
}
