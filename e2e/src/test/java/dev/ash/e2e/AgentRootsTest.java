package dev.ash.e2e;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Which folders of the host an API key can deploy or work in, and what of them is taken. */
class AgentRootsTest {
    private static final String SECRET = "the-secret-of-another-user";
    private static final String KEY = "ash_key-of-the-tenant-acme";

    private TestFolder folder;
    private AshServer server;

    @BeforeEach
    void create() {
        folder = TestFolder.create();
    }

    @AfterEach
    void stop() {
        if (server != null) {
            server.close();
        } else {
            folder.close();
        }
    }

    private void start(Map<String, String> settings) {
        server = AshServer.start(settings, folder);
    }

    private static Answer deploy(Api api, Object path) {
        return api.post("/api/agents", Map.of("name", "it", "path", path.toString()));
    }

    private Answer deploy(Object path) {
        return deploy(server.api(), path);
    }

    private Path agent(String name) {
        return folder.write(name, Map.of("CLAUDE.md", "hello\n"));
    }

    @Test
    void withoutTheSettingNoFolderCanBeDeployed() throws IOException {
        var home = folder.write("someone/.claude", Map.of("CLAUDE.md", "x"));
        var secret = Files.writeString(home.resolve(".credentials.json"), SECRET);
        Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString("rw-------"));
        start(Map.of());
        server.deploy("victim");
        var workspace = server.session("victim").sandbox().resolve("workspace");

        for (var path :
                List.of(
                        home,
                        workspace,
                        server.data().relativize(workspace),
                        folder.path(),
                        "/nowhere",
                        ".")) {
            deploy(path).refused(403, "PATH_NOT_ALLOWED", "ASH_AGENT_ROOTS", "ash deploy");
        }
        server.api().get("/api/agents/it").expect(404);
    }

    @Test
    void onlyWhatIsVisibleBelowARootCanBeDeployed() throws IOException {
        var roots = folder.path().resolve("agents");
        var good = agent("agents/team/good");
        agent("agents/.hidden");
        agent("agents/team/.config/app");
        var outside = agent("outside");
        agent("data/evil");
        Files.createSymbolicLink(roots.resolve("out"), outside);
        Files.createSymbolicLink(roots.resolve("in"), good);
        Files.createSymbolicLink(roots.resolve("hidden"), roots.resolve(".hidden"));
        start(
                Map.of(
                        "ASH_AGENT_ROOTS",
                        roots + ":" + folder.path() + "/data:" + folder.path().resolve("home"),
                        "HOME",
                        agent("home").toString()));

        for (var path :
                List.of(
                        outside,
                        roots.resolve("../outside"),
                        roots.resolve("out"),
                        roots.resolve(".hidden"),
                        roots.resolve("hidden"),
                        roots.resolve("team/.config/app"),
                        folder.data().resolve("evil"),
                        folder.path().resolve("home"),
                        folder.path(),
                        "/")) {
            deploy(path).refused(403, "PATH_NOT_ALLOWED", "path: ", "ASH_AGENT_ROOTS");
        }
        deploy("agents/team/good").refused(400, "VALIDATION_FAILED", "absolute");
        deploy(roots.resolve("nowhere")).refused(400, "VALIDATION_FAILED", "does not exist");
        deploy(good.resolve("CLAUDE.md")).refused(400, "VALIDATION_FAILED", "not a folder");
        deploy(roots.resolve("in")).expect(201);
    }

    @Test
    void theAnswerNamesTheFolderAsItWasGivenAndTheAgentOutlivesTheSetting() {
        var good = agent("agents/good");
        start(Map.of("ASH_AGENT_ROOTS", folder.path().resolve("agents").toString()));
        var given = good.resolveSibling("../agents/good") + "/";

        assertThat(deploy(given).expect(201).at("/agent/path").asString()).isEqualTo(given);
        var api = server.api();
        assertThat(api.get("/api/agents/it").at("/agent/path").asString()).isEqualTo(given);
        api.patch("/api/agents/it", Map.of("env", Map.of("A", "b"))).expect(200);
        assertThat(api.get("/api/agents/it").at("/agent/path").asString()).isEqualTo(given);

        server.stop();
        server = AshServer.start(Map.of(), folder);
        assertThat(server.session("it").exec("cat CLAUDE.md; echo $A").path("stdout").asString())
                .isEqualTo("hello\nb\n");
        deploy(given).refused(403, "PATH_NOT_ALLOWED", "ASH_AGENT_ROOTS");
        server.deploy("it");
        assertThat(server.api().get("/api/agents/it").at("/agent/path").asString())
                .startsWith(server.data().toString());
    }

    @Test
    void aFolderIsReadWithTheRightsOfItsOwner() throws IOException {
        assumeTrue(ProjectDir.isRoot(), "only a server of root has rights that others lack");
        var mine = ProjectDir.make(folder, "mine", Map.of("CLAUDE.md", "x")).path();
        start(Map.of("ASH_AGENT_ROOTS", mine.getParent().toString()));
        deploy(mine).expect(201);

        var secret = Files.writeString(mine.resolve("of-root"), SECRET);
        Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString("rw-------"));
        deploy(mine).refused(400, "VALIDATION_FAILED", "of-root", "permission denied");
        Files.delete(secret);
        Files.createLink(mine.resolve("hard"), server.data().resolve("sealing-key"));
        deploy(mine).refused(400, "VALIDATION_FAILED", "hard", "permission denied");
    }

    @Test
    void gitFoldersAreLeftOutAndReported() {
        var path =
                folder.write(
                        "agents/repo",
                        Map.of("CLAUDE.md", "x", ".git/config", "c", "a/.GIT/config", "c"));
        start(Map.of("ASH_AGENT_ROOTS", path.getParent().toString()));

        assertThat(leftOut(deploy(path).expect(201), "/agent/leftOut"))
                .containsExactly(".git", "a/.GIT");
        var files =
                List.of(
                        upload("CLAUDE.md"),
                        upload(".git/config"),
                        upload("a/.Git"),
                        upload("b/.gIT/hooks/x"));
        var created = server.api().post("/api/agents", Map.of("name", "up", "files", files));
        assertThat(leftOut(created.expect(201), "/agent/leftOut"))
                .containsExactly(".git/config", "a/.Git", "b/.gIT/hooks/x");
        var written =
                server.api()
                        .post(
                                "/api/agents/up/files",
                                Map.of("files", List.of(upload(".GIT/HEAD"), upload("kept"))));
        assertThat(leftOut(written.expect(200), "/leftOut")).containsExactly(".GIT/HEAD");
        assertThat(written.at("/written").asInt()).isEqualTo(1);
        for (var name : List.of("it", "up")) {
            assertThat(server.session(name).exec("find . -iname .git").path("stdout").asString())
                    .isEmpty();
            assertThat(server.api().get("/api/agents/" + name).text()).doesNotContain("leftOut");
        }
    }

    private static Map<String, String> upload(String path) {
        return Map.of("path", path, "content", AshServer.base64("x"));
    }

    private static List<String> leftOut(Answer answer, String pointer) {
        return answer.at(pointer).valueStream().map(path -> path.asString()).toList();
    }

    @Test
    void rootsAreOpenToTheirTenantOnlyAndCanComeFromTheFile() throws Exception {
        var ours = ProjectDir.make(folder, "ours", Map.of("CLAUDE.md", "x")).path();
        var acme = ProjectDir.make(folder, "acme", Map.of("CLAUDE.md", "x")).path();
        start(Map.of());
        server.stop();
        var hash = MessageDigest.getInstance("SHA-256").digest(KEY.getBytes(UTF_8));
        new Store(server.data())
                .update(
                        "INSERT INTO api_keys VALUES ('acme', 'acme', ?, 'acme', 'test', 0)",
                        HexFormat.of().formatHex(hash));
        var roots = "%s:acme=%s".formatted(ours, acme);
        Files.writeString(
                server.data().resolve("config.json"),
                "{\"ASH_AGENT_ROOTS\":\"%s\",\"ASH_PROJECT_ROOTS\":\"%s\"}".formatted(roots, roots));
        server = AshServer.start(Map.of(), folder);

        try (var theirs = new Api(server.api().base(), KEY)) {
            deploy(server.api(), ours).expect(201);
            deploy(theirs, acme).expect(201);
            deploy(server.api(), acme).refused(403, "PATH_NOT_ALLOWED", "ASH_AGENT_ROOTS");
            deploy(theirs, ours).refused(403, "PATH_NOT_ALLOWED", "ASH_AGENT_ROOTS");
            work(server.api(), ours).expect(201);
            work(theirs, acme).expect(201);
            work(server.api(), acme).refused(403, "PATH_NOT_ALLOWED", "ASH_PROJECT_ROOTS");
            work(theirs, ours).refused(403, "PATH_NOT_ALLOWED", "ASH_PROJECT_ROOTS");
        }
    }

    private static Answer work(Api api, Path path) {
        return api.post(
                "/api/sessions", Map.of("agent", "it", "workingDirectory", path.toString()));
    }

    @Test
    void aWrongEntryKeepsTheServerFromStarting() throws InterruptedException {
        for (var setting : List.of("ASH_AGENT_ROOTS", "ASH_PROJECT_ROOTS")) {
            var launch = ServerLaunch.of(Map.of(setting, "/srv:agents"), folder);

            assertThat(launch.awaitExit()).isEqualTo(1);
            assertThat(launch.output()).contains(setting + " has the entry \"agents\"");
        }
    }
}
