package dev.ash.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Tests sessions that work in a project directory of the host. */
class ProjectSessionTest {
    @RegisterExtension
    final AshExtension ash =
            AshExtension.demo()
                    .with("ASH_PROJECT_ROOTS", ProjectDir::roots)
                    .agent(
                            "hello",
                            Map.of(
                                    "CLAUDE.md",
                                    "You are hello.\n",
                                    "install.sh",
                                    "touch installed\n"));

    private ProjectDir project;

    @BeforeEach
    void start() {
        project = ProjectDir.create(ash.directory(), "app", Map.of("src/main.txt", "mine\n"));
    }

    @Test
    void runsAtHostPathAndAsOwner() throws IOException {
        var session = project.session(ash.server(), "hello");

        assertThat(session.created().path("workingDirectory").asString())
                .isEqualTo(project.path().toString());
        session.ask("demo: run pwd > made; mkdir sub");
        assertThat(project.path().resolve("made")).hasContent(project.path().toString());
        assertThat(project.hasProjectOwner("made") && project.hasProjectOwner("sub")).isTrue();
        assertThat(session.exec("cat src/main.txt; ls ..").path("stdout").asString())
                .isEqualTo("mine\napp\n");
        assertThat(project.path().toFile().list())
                .as("files without those of the agent")
                .containsExactlyInAnyOrder("src", "made", "sub");
        assertThat(ash.session("hello").created().path("workingDirectory").asString())
                .isEqualTo("/workspace");
    }

    @Test
    void rejectsOtherDirectories() throws IOException {
        var outside = Files.createDirectory(ash.directory().path().resolve("outside"));
        Files.createSymbolicLink(project.path().resolveSibling("link"), outside);
        for (var path :
                List.of(
                        outside.toString(),
                        project.path().resolveSibling("link").toString(),
                        project.path() + "/.git",
                        ash.data().toString(),
                        "/")) {
            create(path).refused(403, "PATH_NOT_ALLOWED", "workingDirectory", "ASH_PROJECT_ROOTS");
        }
        for (var path : List.of("app", project.path() + "/nowhere")) {
            create(path).refused(400, "VALIDATION_FAILED", "workingDirectory");
        }
        if (ProjectDir.isRoot()) {
            var roots = Files.createDirectory(project.path().resolveSibling("roots"));
            create(roots.toString()).refused(400, "VALIDATION_FAILED", "no agent works as root");
        }
        assertThat(ash.api().get("/api/sessions").expect(200).at("/total").asInt()).isZero();
    }

    private ApiResponse create(String path) {
        return ash.api().post("/api/sessions", Map.of("agent", "hello", "workingDirectory", path));
    }

    @Test
    void accessesFilesWithPermissionsOfOwner() throws IOException {
        var session = project.session(ash.server(), "hello");
        var files = session.path() + "/files";

        var written =
                ash.api()
                        .post(
                                files,
                                Map.of(
                                        "files",
                                        List.of(
                                                Map.of(
                                                        "path",
                                                        "new/up.txt",
                                                        "content",
                                                        AshServer.base64("up")))))
                        .expect(200);

        assertThat(written.at("/files/0/written").asBoolean()).as(written.text()).isTrue();
        assertThat(project.hasProjectOwner("new") && project.hasProjectOwner("new/up.txt"))
                .isTrue();
        assertThat(ash.api().get(files).expect(200).text()).contains("new/up.txt", "src/main.txt");
        assertThat(ash.api().get(files + "/src/main.txt").expect(200).text()).isEqualTo("mine\n");
        ash.api().get(session.path() + "/workspace").expect(200);
        ash.api().delete(files + "/new/up.txt").expect(200);
        assertThat(project.path().resolve("new/up.txt")).doesNotExist();
        assertThat(session.exec("echo more >> src/main.txt").path("exitCode").asInt()).isZero();
        if (ProjectDir.isRoot()) {
            var secret = Files.writeString(project.path().resolve("of-root"), "secret");
            Files.setPosixFilePermissions(
                    secret, java.nio.file.attribute.PosixFilePermissions.fromString("rw-------"));
            ash.api().get(files + "/of-root").refused(400, "VALIDATION_FAILED", "permission");
            var closed = Files.createDirectory(project.path().resolve("closed"));
            assertThat(
                            ash.api()
                                    .post(
                                            files,
                                            Map.of(
                                                    "files",
                                                    List.of(
                                                            Map.of(
                                                                    "path",
                                                                    "closed/x",
                                                                    "content",
                                                                    ""))))
                                    .text())
                    .contains("permission denied");
            assertThat(closed).isEmptyDirectory();
        }
    }

    @Test
    void rejectsDirectoryReplacedByLink() throws IOException {
        var session = project.session(ash.server(), "hello");
        var secret = ProjectDir.create(ash.directory(), "secret", Map.of("key", "k")).path();
        Files.move(project.path(), project.path().resolveSibling("moved"));
        Files.createSymbolicLink(project.path(), secret);

        ash.api().get(session.path() + "/files/key").refused(400, "VALIDATION_FAILED", "link");
        session.post("stop").expect(200);
        session.post("resume").refused(400, "VALIDATION_FAILED", "link");
        assertThat(session.status()).isEqualTo("error");
    }

    @Test
    void keepsHomeWhileStoppedAndRemovesItAtEnd() throws IOException {
        var session = project.session(ash.server(), "hello");
        session.exec("echo kept > ~/kept; echo x > made");
        session.post("stop").expect(200);
        session.post("resume").expect(200);
        assertThat(session.exec("cat ~/kept made").path("stdout").asString())
                .isEqualTo("kept\nx\n");

        session.end().expect(200);

        assertThat(project.path().resolve("made")).hasContent("x");
        session.awaitRemoval();
        ash.api().get(session.path() + "/files/made").refused(410, "SESSION_ENDED");
    }

    @Test
    void forkUsesSameDirectoryAndSeparateHome() {
        var original = project.session(ash.server(), "hello");
        original.ask("hello");
        original.exec("echo 1 > ~/mine; echo shared > shared");

        var copy =
                TestSession.of(
                        ash.server(),
                        original.post("fork").expect(201).at("/session/id").asString());

        assertThat(copy.exec("pwd; cat ~/mine shared; echo 2 > ~/mine").path("stdout").asString())
                .isEqualTo(project.path() + "\n1\nshared\n");
        assertThat(original.exec("cat ~/mine").path("stdout").asString()).isEqualTo("1\n");
        assertThat(copy.created().path("workingDirectory").asString())
                .isEqualTo(project.path().toString());
    }

    @Test
    void nextServerAdoptsSessionAndKeepsOtherProcessesOfOwner() throws Exception {
        assumeTrue(ProjectDir.isRoot(), "requires a server that runs as root");
        var other =
                new ProcessBuilder(
                                "setpriv",
                                "--reuid=" + ProjectDir.UID,
                                "--regid=" + ProjectDir.GID,
                                "--clear-groups",
                                "sleep",
                                "600")
                        .start();
        try {
            var session = project.session(ash.server(), "hello");
            var killed = project.session(ash.server(), "hello");
            long bridge = session.bridgePid();
            ash.kill();
            ProcessHandle.of(killed.bridgePid()).orElseThrow().destroyForcibly();
            ash.startAgain();

            var again = ash.session(session);
            assertThat(again.exec("pwd").path("stdout").asString())
                    .isEqualTo(project.path() + "\n");
            assertThat(again.bridgePid()).isEqualTo(bridge);
            ash.session(killed).post("resume").expect(200);
            ash.session(killed).end().expect(200);
            again.end().expect(200);
            assertThat(other.isAlive()).isTrue();
        } finally {
            other.destroyForcibly().waitFor();
        }
    }

    @Test
    void cannotAccessHomeOfOtherSessionOfSameOwner() {
        var one = project.session(ash.server(), "hello");
        var two = project.session(ash.server(), "hello");
        two.exec("echo private > ~/secret");

        var attack =
                one.exec(
                        "cat %s/home/secret; ls /proc | grep -c '^[0-9]'; kill -9 %d"
                                .formatted(two.sandbox(), two.bridgePid()));

        assertThat(attack.path("stdout").asString()).doesNotContain("private");
        assertThat(two.exec("cat ~/secret").path("stdout").asString()).isEqualTo("private\n");
    }
}
