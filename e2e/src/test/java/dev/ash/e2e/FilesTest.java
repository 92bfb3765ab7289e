package dev.ash.e2e;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests reading and writing workspace files, and that no path leads outside the workspace. */
class FilesTest {
    @RegisterExtension static final AshExtension ash = AshExtension.demo().agent("hello");
    private static Path secret;

    @TempDir Path directory;

    @BeforeAll
    static void start() throws IOException {

        secret = ash.directory().path().resolve("secret.txt");
        Files.writeString(secret, "the host's secret");
    }

    @Test
    void writesListsReadsAndDeletesFiles() {
        var session = ash.session("hello");
        var path = session.path() + "/files";

        var written =
                ash.api()
                        .post(
                                path,
                                Map.of(
                                        "files",
                                        List.of(file("a/b.txt", "hällo"), file("c.txt", "x")),
                                        "targetPath",
                                        "in"))
                        .expect(200);

        assertThat(written.at("/files/0/written").asBoolean()).isTrue();
        assertThat(written.at("/files/0/size").asInt()).isEqualTo(6);
        assertThat(names(session)).contains("CLAUDE.md", "in/a/b.txt", "in/c.txt");
        assertThat(session.exec("cat in/a/b.txt").path("stdout").asString()).isEqualTo("hällo");
        var raw = ash.api().get(path + "/in/a/b.txt").expect(200);
        assertThat(raw.text()).isEqualTo("hällo");
        assertThat(raw.headers().firstValue("content-disposition").orElse(""))
                .contains("attachment");
        assertThat(raw.headers().firstValue("x-ash-source")).isPresent();
        var json = ash.api().get(path + "/in/a/b.txt?format=json").expect(200);
        assertThat(json.at("/content").asString()).isEqualTo("hällo");
        assertThat(json.at("/size").asInt()).isEqualTo(6);
        assertThat(ash.api().delete(path + "/in/c.txt").expect(200).at("/deleted").asBoolean())
                .isTrue();
        ash.api().get(path + "/in/c.txt").refused(404, "FILE_NOT_FOUND");
        ash.api().delete(path + "/in/c.txt").refused(404, "FILE_NOT_FOUND");
    }

    @Test
    void agentCanChangeUploadedFiles() {
        var session = ash.session("hello");
        ash.api()
                .post(session.path() + "/files", Map.of("files", List.of(file("d/up.txt", "1"))))
                .expect(200);

        var result = session.exec("echo 2 >> d/up.txt && cat d/up.txt && rm -r d");

        assertThat(result.path("exitCode").asInt()).as(result.toString()).isZero();
    }

    @Test
    void preservesBinaryContent() {
        var session = ash.session("hello");
        session.exec("head -c 300000 /dev/urandom > blob; sha256sum < blob");

        var bytes = ash.api().get(session.path() + "/files/blob").expect(200).body();

        assertThat(bytes).hasSize(300_000);
        ash.api()
                .post(
                        session.path() + "/files",
                        Map.of(
                                "files",
                                List.of(
                                        Map.of(
                                                "path",
                                                "copy",
                                                "content",
                                                Base64.getEncoder().encodeToString(bytes)))))
                .expect(200);
        assertThat(session.exec("cmp blob copy").path("exitCode").asInt()).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"../x", "a/../../x", "/etc/x", "", ".", "a\0b"})
    void doesNotWriteOutsideWorkspace(String path) {
        var session = ash.session("hello");

        var answer =
                ash.api()
                        .post(
                                session.path() + "/files",
                                Map.of("files", List.of(file(path, "evil"))));

        if (answer.status() == 200) {
            assertThat(answer.at("/files/0/written").asBoolean()).isFalse();
            assertThat(answer.at("/files/0/error").asString()).isNotEmpty();
        } else {
            answer.refused(400, "VALIDATION_FAILED", "path");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"%2e%2e/%2e%2e/ash.db", "..%2f..%2fash.db", "%2fetc%2fpasswd", "a%00b"})
    void doesNotReadOutsideWorkspace(String path) {
        var session = ash.session("hello");

        assertThat(ash.api().get(session.path() + "/files/" + path).status()).isIn(400, 404);
        assertThat(ash.api().delete(session.path() + "/files/" + path).status()).isIn(400, 404);
    }

    @Test
    void doesNotFollowLinksOutOfWorkspace() throws IOException {
        var session = ash.session("hello");
        var outside = secret.getParent();
        session.exec(
                "ln -s " + secret + " link; ln -s " + outside + " dir; ln -s /etc/passwd pass");
        // The link targets do not exist in the sandbox, but they do on the host.
        var files = session.path() + "/files";

        for (var path : List.of("link", "dir/secret.txt", "pass")) {
            var answer = ash.api().get(files + "/" + path);
            assertThat(answer.status()).as(path).isIn(400, 404);
            assertThat(answer.text()).doesNotContain("the host's secret", "root:");
        }
        ash.api().post(files, Map.of("files", List.of(file("dir/new.txt", "x"))));
        ash.api().post(files, Map.of("files", List.of(file("link", "overwritten"))));
        ash.api().delete(files + "/dir/secret.txt");
        assertThat(secret).hasContent("the host's secret");
        assertThat(outside.resolve("new.txt")).doesNotExist();
        assertThat(new String(ash.api().get(session.path() + "/workspace").body(), UTF_8))
                .doesNotContain("the host's secret");
    }

    @Test
    void omitsDependencyAndGitDirectoriesFromList() {
        var session = ash.session("hello");
        session.exec(
                "mkdir -p node_modules/x .git .cache src && touch node_modules/x/y .git/z .cache/c"
                        + " src/main.py a.lock .env");

        assertThat(names(session))
                .contains("src/main.py", ".cache/c", ".env")
                .doesNotContain("node_modules/x/y", ".git/z", "a.lock");
        var visible =
                ash.api().get(session.path() + "/files?includeHidden=false").expect(200).text();
        assertThat(visible).contains("src/main.py").doesNotContain(".cache/c");
    }

    @Test
    void exportsAndImportsWorkspaceAsTarball() throws Exception {
        var from = ash.session("hello");
        from.exec("mkdir -p src && echo one > src/one.txt && printf 'x' > two && chmod +x two");
        var bundle = ash.api().get(from.path() + "/workspace").expect(200);
        var file = Files.write(directory.resolve("w.tar.gz"), bundle.body());
        var tar =
                new ProcessBuilder("tar", "-xzf", file.toString(), "-C", directory.toString())
                        .inheritIO()
                        .start();
        assertThat(tar.waitFor()).isZero();
        assertThat(directory.resolve("src/one.txt")).hasContent("one");

        var to = ash.session("hello");
        ash.api()
                .post(
                        to.path() + "/workspace",
                        Map.of("bundle", Base64.getEncoder().encodeToString(bundle.body())))
                .expect(200);

        assertThat(to.exec("cat src/one.txt && test -x two && echo yes").path("stdout").asString())
                .isEqualTo("one\nyes\n");
    }

    @Test
    void rejectsTarballWithPathsOutsideWorkspace() throws Exception {
        var session = ash.session("hello");
        Files.writeString(directory.resolve("evil.txt"), "evil");
        var file = directory.resolve("evil.tar.gz");
        var tar =
                new ProcessBuilder(
                                "tar",
                                "-czf",
                                file.toString(),
                                "-C",
                                directory.toString(),
                                "--transform",
                                "s|evil.txt|../../evil.txt|",
                                "-P",
                                "evil.txt")
                        .inheritIO()
                        .start();
        assertThat(tar.waitFor()).isZero();

        var answer =
                ash.api()
                        .post(
                                session.path() + "/workspace",
                                Map.of(
                                        "bundle",
                                        Base64.getEncoder()
                                                .encodeToString(Files.readAllBytes(file))));

        answer.refused(400, "VALIDATION_FAILED");
        assertThat(ash.data().resolve("sandboxes").resolve("evil.txt")).doesNotExist();
        ash.api()
                .post(session.path() + "/workspace", Map.of("bundle", AshServer.base64("no tar")))
                .refused(400, "VALIDATION_FAILED", "bundle");
    }

    @Test
    void readsFilesOfStoppedSession() {
        var session = ash.session("hello");
        session.exec("echo kept > note.txt");
        session.post("stop").expect(200);

        assertThat(ash.api().get(session.path() + "/files/note.txt").expect(200).text())
                .isEqualTo("kept\n");
        assertThat(names(session)).contains("note.txt");
    }

    private static List<String> names(TestSession session) {
        return ash.api()
                .get(session.path() + "/files")
                .expect(200)
                .at("/files")
                .valueStream()
                .map(file -> file.path("path").asString())
                .toList();
    }

    private static Map<String, String> file(String path, String text) {
        return Map.of("path", path, "content", AshServer.base64(text));
    }
}
