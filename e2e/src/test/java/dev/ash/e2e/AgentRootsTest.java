package dev.ash.e2e;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Checks which host directories an API key can deploy from or work in, and which files are copied.
 */
class AgentRootsTest {
    private static final String SECRET = "the-secret-of-another-user";

    private static TestDirectory directory;

    @RegisterExtension
    static final AshExtension ash =
            AshExtension.demo()
                    .prepare(AgentRootsTest::configure)
                    .with("ASH_PROJECT_ROOTS", AgentRootsTest::projectRoots)
                    .with("HOME", directory -> directory.path() + "/home");

    private static Path roots;

    @BeforeAll
    static void start() throws IOException {
        directory = ash.directory();
        roots = directory.path().resolve("agents");
        for (var tenant : List.of("acme", "other")) {
            new Store(ash.data())
                    .update(
                            ("INSERT INTO api_keys (id, tenant_id, key_hash, key_prefix, label,"
                                            + " created_at) VALUES ('%s', '%s', ?, 'test', 'test', 0)")
                                    .formatted(tenant, tenant),
                            hash("ash_key-of-" + tenant));
        }
    }

    /** Writes one setting to the configuration file instead of the environment. */
    private static void configure(TestDirectory directory) throws IOException {
        directory.write("home", Map.of("CLAUDE.md", "x"));
        Files.createDirectories(directory.data());
        Files.writeString(
                directory.data().resolve("config.json"),
                "{\"ASH_AGENT_ROOTS\":\"%s:%s:%s/home:%s\"}"
                        .formatted(
                                directory.path().resolve("agents"),
                                directory.data(),
                                directory.path(),
                                projectRoots(directory)));
    }

    private static String projectRoots(TestDirectory directory) {
        var projects = directory.path().resolve("projects");
        return "%s/ours:acme=%s/acme".formatted(projects, projects);
    }

    private static String hash(String key) {
        try {
            var digest = MessageDigest.getInstance("SHA-256");
            return HexFormat.of().formatHex(digest.digest(key.getBytes(UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }

    private static Api as(String tenant) {
        return new Api(ash.api().base(), "ash_key-of-" + tenant);
    }

    private static ApiResponse deploy(Api api, Object path) {
        return api.post("/api/agents", Map.of("name", "it", "path", path.toString()));
    }

    private static ApiResponse deploy(Object path) {
        return deploy(ash.api(), path);
    }

    private static Path agent(String name) {
        return directory.write(name, Map.of("CLAUDE.md", "hello\n"));
    }

    @Test
    void rejectsDirectoriesOfTenantWithoutRoots() throws IOException {
        var home = directory.write("someone/.claude", Map.of("CLAUDE.md", "x"));
        var secret = Files.writeString(home.resolve(".credentials.json"), SECRET);
        Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString("rw-------"));
        ash.deploy("victim");
        var workspace = ash.session("victim").sandbox().resolve("workspace");

        try (var other = as("other")) {
            for (var path :
                    List.of(
                            home,
                            workspace,
                            ash.data().relativize(workspace),
                            roots,
                            "/nowhere",
                            ".")) {
                deploy(other, path)
                        .refused(403, "PATH_NOT_ALLOWED", "ASH_AGENT_ROOTS", "ash deploy");
            }
            other.get("/api/agents/it").expect(404);
        }
        deploy(home).refused(403, "PATH_NOT_ALLOWED", "ASH_AGENT_ROOTS");
        deploy(workspace).refused(403, "PATH_NOT_ALLOWED", "ASH_AGENT_ROOTS");
    }

    @Test
    void deploysOnlyVisibleDirectoriesBelowRoots() throws IOException {
        var good = agent("agents/team/good");
        agent("agents/.hidden");
        agent("agents/team/.config/app");
        var outside = agent("outside");
        agent("data/evil");
        Files.createSymbolicLink(roots.resolve("out"), outside);
        Files.createSymbolicLink(roots.resolve("in"), good);
        Files.createSymbolicLink(roots.resolve("hidden"), roots.resolve(".hidden"));
        for (var path :
                List.of(
                        outside,
                        roots.resolve("../outside"),
                        roots.resolve("out"),
                        roots.resolve(".hidden"),
                        roots.resolve("hidden"),
                        roots.resolve("team/.config/app"),
                        directory.data().resolve("evil"),
                        directory.path().resolve("home"),
                        directory.path(),
                        "/")) {
            deploy(path).refused(403, "PATH_NOT_ALLOWED", "path: ", "ASH_AGENT_ROOTS");
        }
        deploy("agents/team/good").refused(400, "VALIDATION_FAILED", "absolute");
        deploy(roots.resolve("nowhere")).refused(400, "VALIDATION_FAILED", "does not exist");
        deploy(good.resolve("CLAUDE.md")).refused(400, "VALIDATION_FAILED", "is not a directory");
        deploy(roots.resolve("in")).expect(201);
    }

    @Test
    void returnsPathAsGiven() {
        var good = agent("agents/good");
        var given = good.resolveSibling("../agents/good") + "/";

        assertThat(deploy(given).expect(201).at("/agent/path").asString()).isEqualTo(given);
        var api = ash.api();
        assertThat(api.get("/api/agents/it").at("/agent/path").asString()).isEqualTo(given);
        api.patch("/api/agents/it", Map.of("env", Map.of("A", "b"))).expect(200);
        assertThat(api.get("/api/agents/it").at("/agent/path").asString()).isEqualTo(given);

        ash.deploy("it");
        assertThat(ash.api().get("/api/agents/it").at("/agent/path").asString())
                .startsWith(ash.data().toString());
    }

    @Test
    void readsDirectoryWithPermissionsOfItsOwner() throws IOException {
        assumeTrue(ProjectDir.isRoot(), "requires a server that runs as root");
        var mine = ProjectDir.create(directory, "ours/mine", Map.of("CLAUDE.md", "x")).path();
        deploy(mine).expect(201);

        var secret = Files.writeString(mine.resolve("of-root"), SECRET);
        Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString("rw-------"));
        deploy(mine).refused(400, "VALIDATION_FAILED", "of-root", "permission denied");
        Files.delete(secret);
        Files.createLink(mine.resolve("hard"), ash.data().resolve("sealing-key"));
        deploy(mine).refused(400, "VALIDATION_FAILED", "hard", "permission denied");
    }

    @Test
    void skipsAndReportsGitDirectories() {
        var path =
                directory.write(
                        "agents/repo",
                        Map.of("CLAUDE.md", "x", ".git/config", "c", "a/.GIT/config", "c"));

        assertThat(leftOut(deploy(path).expect(201), "/agent/leftOut"))
                .containsExactly(".git", "a/.GIT");
        var files =
                List.of(
                        upload("CLAUDE.md"),
                        upload(".git/config"),
                        upload("a/.Git"),
                        upload("b/.gIT/hooks/x"));
        var created = ash.api().post("/api/agents", Map.of("name", "up", "files", files));
        assertThat(leftOut(created.expect(201), "/agent/leftOut"))
                .containsExactly(".git/config", "a/.Git", "b/.gIT/hooks/x");
        var written =
                ash.api()
                        .post(
                                "/api/agents/up/files",
                                Map.of("files", List.of(upload(".GIT/HEAD"), upload("kept"))));
        assertThat(leftOut(written.expect(200), "/leftOut")).containsExactly(".GIT/HEAD");
        assertThat(written.at("/written").asInt()).isEqualTo(1);
        for (var name : List.of("it", "up")) {
            assertThat(ash.session(name).exec("find . -iname .git").path("stdout").asString())
                    .isEmpty();
            assertThat(ash.api().get("/api/agents/" + name).text()).doesNotContain("leftOut");
        }
    }

    private static Map<String, String> upload(String path) {
        return Map.of("path", path, "content", AshServer.base64("x"));
    }

    private static List<String> leftOut(ApiResponse answer, String pointer) {
        return answer.at(pointer).valueStream().map(path -> path.asString()).toList();
    }

    @Test
    void restrictsRootsToTheirTenant() {
        var ours = ProjectDir.create(directory, "ours/app", Map.of("CLAUDE.md", "x")).path();
        var acme = ProjectDir.create(directory, "acme/app", Map.of("CLAUDE.md", "x")).path();

        try (var theirs = as("acme")) {
            deploy(ash.api(), ours).expect(201);
            deploy(theirs, acme).expect(201);
            deploy(ash.api(), acme).refused(403, "PATH_NOT_ALLOWED", "ASH_AGENT_ROOTS");
            deploy(theirs, ours).refused(403, "PATH_NOT_ALLOWED", "ASH_AGENT_ROOTS");
            work(ash.api(), ours).expect(201);
            work(theirs, acme).expect(201);
            work(ash.api(), acme).refused(403, "PATH_NOT_ALLOWED", "ASH_PROJECT_ROOTS");
            work(theirs, ours).refused(403, "PATH_NOT_ALLOWED", "ASH_PROJECT_ROOTS");
        }
    }

    private static ApiResponse work(Api api, Path path) {
        return api.post(
                "/api/sessions", Map.of("agent", "it", "workingDirectory", path.toString()));
    }

    @Test
    void keepsAgentsOfRemovedRootsAndRejectsInvalidRoots() throws Exception {
        var other = TestDirectory.create();
        var path = other.write("agents/kept", Map.of("CLAUDE.md", "hello\n"));
        var before = AshServer.start(Map.of("ASH_AGENT_ROOTS", path.toString()), other);
        deploy(before.api(), path).expect(201);
        before.stop();

        var wrong = ServerLaunch.of(Map.of("ASH_AGENT_ROOTS", "/srv:agents"), other);
        assertThat(wrong.awaitExit()).isEqualTo(1);
        assertThat(wrong.output()).contains("ASH_AGENT_ROOTS has the invalid entry \"agents\"");

        try (var after = AshServer.start(Map.of(), other)) {
            assertThat(after.session("it").exec("cat CLAUDE.md").path("stdout").asString())
                    .isEqualTo("hello\n");
            deploy(after.api(), path).refused(403, "PATH_NOT_ALLOWED", "ASH_AGENT_ROOTS");
        } finally {
            before.close();
        }
    }
}
