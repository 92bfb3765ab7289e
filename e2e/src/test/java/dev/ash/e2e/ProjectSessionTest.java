package dev.ash.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Sessions that work in a folder of the host. */
class ProjectSessionTest {
    private AshServer server;
    private ProjectDir project;

    @BeforeEach
    void start() {
        var folder = TestFolder.create();
        project = ProjectDir.make(folder, "app", Map.of("src/main.txt", "mine\n"));
        server = AshServer.start(ProjectDir.settings(folder), folder);
        server.deploy(
                "hello",
                Map.of("CLAUDE.md", "You are hello.\n", "install.sh", "touch installed\n"));
    }

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void theFolderIsWorkedInAtItsOwnPathAndAsItsOwner() throws IOException {
        var session = project.session(server, "hello");

        assertThat(session.created().path("workingDirectory").asString())
                .isEqualTo(project.path().toString());
        session.ask("demo: run pwd > made; mkdir sub");
        assertThat(project.path().resolve("made")).hasContent(project.path().toString());
        assertThat(project.owns("made") && project.owns("sub")).isTrue();
        assertThat(session.exec("cat src/main.txt; ls ..").path("stdout").asString())
                .isEqualTo("mine\napp\n");
        assertThat(project.path().toFile().list())
                .as("nothing of the agent's")
                .containsExactlyInAnyOrder("src", "made", "sub");
        assertThat(server.session("hello").created().path("workingDirectory").asString())
                .isEqualTo("/workspace");
    }

    @Test
    void otherFoldersAreRefused() throws IOException {
        var outside = Files.createDirectory(server.folder().path().resolve("outside"));
        Files.createSymbolicLink(project.path().resolveSibling("link"), outside);
        for (var path :
                List.of(
                        outside.toString(),
                        project.path().resolveSibling("link").toString(),
                        project.path() + "/.git",
                        server.data().toString(),
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
        assertThat(server.api().get("/api/sessions").expect(200).at("/total").asInt()).isZero();
    }

    private Answer create(String path) {
        return server.api()
                .post("/api/sessions", Map.of("agent", "hello", "workingDirectory", path));
    }

    @Test
    void itsFilesAreReadAndWrittenWithTheRightsOfItsOwner() throws IOException {
        var session = project.session(server, "hello");
        var files = session.path() + "/files";

        var written =
                server.api()
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
        assertThat(project.owns("new") && project.owns("new/up.txt")).isTrue();
        assertThat(server.api().get(files).expect(200).text())
                .contains("new/up.txt", "src/main.txt");
        assertThat(server.api().get(files + "/src/main.txt").expect(200).text())
                .isEqualTo("mine\n");
        server.api().get(session.path() + "/workspace").expect(200);
        server.api().delete(files + "/new/up.txt").expect(200);
        assertThat(project.path().resolve("new/up.txt")).doesNotExist();
        assertThat(session.exec("echo more >> src/main.txt").path("exitCode").asInt()).isZero();
        if (ProjectDir.isRoot()) {
            var secret = Files.writeString(project.path().resolve("of-root"), "secret");
            Files.setPosixFilePermissions(
                    secret, java.nio.file.attribute.PosixFilePermissions.fromString("rw-------"));
            server.api().get(files + "/of-root").refused(400, "VALIDATION_FAILED", "permission");
            var closed = Files.createDirectory(project.path().resolve("closed"));
            assertThat(
                            server.api()
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
    void aFolderThatBecameALinkIsTouchedNoMore() throws IOException {
        var session = project.session(server, "hello");
        var secret = ProjectDir.make(server.folder(), "secret", Map.of("key", "k")).path();
        Files.move(project.path(), project.path().resolveSibling("moved"));
        Files.createSymbolicLink(project.path(), secret);

        server.api().get(session.path() + "/files/key").refused(400, "VALIDATION_FAILED", "link");
        session.post("stop").expect(200);
        session.post("resume").refused(400, "VALIDATION_FAILED", "link");
        assertThat(session.status()).isEqualTo("error");
    }

    @Test
    void itEndsWithoutATraceAndSleepsWithItsHome() throws IOException {
        var session = project.session(server, "hello");
        session.exec("echo kept > ~/kept; echo x > made");
        session.post("stop").expect(200);
        session.post("resume").expect(200);
        assertThat(session.exec("cat ~/kept made").path("stdout").asString())
                .isEqualTo("kept\nx\n");

        session.end().expect(200);

        assertThat(project.path().resolve("made")).hasContent("x");
        assertThat(session.sandbox()).doesNotExist();
        server.api().get(session.path() + "/files/made").refused(410, "SESSION_ENDED");
    }

    @Test
    void aCopyWorksInTheSameFolderWithAHomeOfItsOwn() {
        var original = project.session(server, "hello");
        original.ask("hello");
        original.exec("echo 1 > ~/mine; echo shared > shared");

        var copy =
                TestSession.of(
                        server, original.post("fork").expect(201).at("/session/id").asString());

        assertThat(copy.exec("pwd; cat ~/mine shared; echo 2 > ~/mine").path("stdout").asString())
                .isEqualTo(project.path() + "\n1\nshared\n");
        assertThat(original.exec("cat ~/mine").path("stdout").asString()).isEqualTo("1\n");
        assertThat(copy.created().path("workingDirectory").asString())
                .isEqualTo(project.path().toString());
    }

    @Test
    void itIsTakenOverFromAKilledServerAndItsOwnersProcessesLiveOn() throws Exception {
        assumeTrue(ProjectDir.isRoot(), "the owner is another user than the server's");
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
            var session = project.session(server, "hello");
            var gone = project.session(server, "hello");
            long bridge = session.bridgePid();
            server.kill();
            ProcessHandle.of(gone.bridgePid()).orElseThrow().destroyForcibly();
            server = server.startAgain();

            var again = session.on(server);
            assertThat(again.exec("pwd").path("stdout").asString())
                    .isEqualTo(project.path() + "\n");
            assertThat(again.bridgePid()).isEqualTo(bridge);
            gone.on(server).post("resume").expect(200);
            gone.on(server).end().expect(200);
            again.end().expect(200);
            assertThat(other.isAlive()).isTrue();
        } finally {
            other.destroyForcibly().waitFor();
        }
    }

    @Test
    void theHomeOfAnotherSessionOfTheSameOwnerIsOutOfReach() {
        var one = project.session(server, "hello");
        var two = project.session(server, "hello");
        two.exec("echo private > ~/secret");

        var tried =
                one.exec(
                        "cat %s/home/secret; ls /proc | grep -c '^[0-9]'; kill -9 %d"
                                .formatted(two.sandbox(), two.bridgePid()));

        assertThat(tried.path("stdout").asString()).doesNotContain("private");
        assertThat(two.exec("cat ~/secret").path("stdout").asString()).isEqualTo("private\n");
    }
}
