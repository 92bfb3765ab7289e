package dev.ash.e2e.isolation;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.e2e.ApiResponse;
import dev.ash.e2e.AshServer;
import dev.ash.e2e.TestDirectory;
import dev.ash.e2e.TestSession;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A process exchanges directories and files for symbolic links (renameat2 with RENAME_EXCHANGE)
 * while the test calls every endpoint that accepts a path: deployment, files, archives and project
 * directories. The links point to canary files that only the server can read. No response and no
 * file of the server may contain a canary, and the server must not write next to the canaries.
 * {@code -Dash.fuzz.rounds=20000} runs the long form.
 */
class RenameRaceTest {
    private static final int ROUNDS = Integer.getInteger("ash.fuzz.rounds", 40);
    private static final int ROUNDS_PER_SESSION = 20;
    private static final int FILES = 20;
    private static final int OWNER = 4711;

    private static final String SWAP =
            """
            import ctypes, os, random, sys, time
            libc = ctypes.CDLL(None, use_errno=True)
            names = [name.encode() for name in sys.argv[1:]]
            pairs = list(zip(names[::2], names[1::2]))
            parent = os.getppid()
            while os.getppid() == parent:
                for one, other in pairs:
                    libc.renameat2(-100, one, -100, other, 2)
                time.sleep(random.choice((0, 0, 0, 0.0002, 0.001, 0.005, 0.01)))
            """;

    private final String canary = "canary-" + UUID.randomUUID();
    private final Map<String, Integer> statuses = new TreeMap<>();
    private TestDirectory directory;
    private Path outside;
    private Path app;
    private AshServer server;

    @BeforeEach
    void start() throws IOException {
        directory = TestDirectory.create();
        outside = fill(Files.createDirectory(directory.path().resolve("outside")), canary);
        try (var files = Files.list(outside)) {
            for (var file : files.toList()) {
                mode(file, "rw-------");
            }
        }
        mode(outside, "rwx------");
        app = Files.createDirectories(directory.path().resolve("roots/app"));
        var spare = Files.createDirectory(app.resolveSibling("spare"));
        fill(Files.createDirectory(app.resolve("real")), "inside");
        Files.writeString(app.resolve("CLAUDE.md"), "inside");
        Files.writeString(app.resolve("file"), "inside");
        Files.createSymbolicLink(spare.resolve("folder"), outside);
        Files.createSymbolicLink(spare.resolve("file"), outside.resolve("f0"));
        chown(app.getParent());
        var roots = app.getParent().toString();
        server =
                AshServer.start(
                        Map.of("ASH_AGENT_ROOTS", roots, "ASH_PROJECT_ROOTS", roots), directory);
        server.deploy("plain");
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private static Path fill(Path directory, String text) throws IOException {
        Files.writeString(directory.resolve("CLAUDE.md"), text);
        for (int i = 0; i < FILES; i++) {
            Files.writeString(directory.resolve("f" + i), text);
        }
        return directory;
    }

    private static void mode(Path path, String mode) throws IOException {
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(mode));
    }

    private static void chown(Path tree) throws IOException {
        if ("root".equals(System.getProperty("user.name"))) {
            try (var all = Files.walk(tree)) {
                for (var path : (Iterable<Path>) all::iterator) {
                    Files.setAttribute(path, "unix:gid", OWNER, LinkOption.NOFOLLOW_LINKS);
                    Files.setAttribute(path, "unix:uid", OWNER, LinkOption.NOFOLLOW_LINKS);
                }
            }
        }
    }

    @Test
    @Timeout(3600)
    void readsNoCanaryAndWritesNothingOutside() throws Exception {
        var inProject =
                server.session(Map.of("agent", "plain", "workingDirectory", app.toString()));
        var inWorkspace = server.session("plain");
        var bundle = bundle();
        inWorkspace.exec(
                "mkdir real; for i in $(seq 0 %d); do echo inside > real/f$i; done; ln -s '%s' link"
                        .formatted(FILES - 1, outside));
        var workspace = inWorkspace.sandbox().resolve("workspace");
        var swap =
                new ProcessBuilder(
                                List.of(
                                        "python3",
                                        "-c",
                                        SWAP,
                                        app.resolve("real").toString(),
                                        app.resolveSibling("spare/folder").toString(),
                                        app.resolve("file").toString(),
                                        app.resolveSibling("spare/file").toString(),
                                        workspace.resolve("real").toString(),
                                        workspace.resolve("link").toString()))
                        .inheritIO()
                        .start();
        try {
            for (int i = 0; i < ROUNDS; i++) {
                deploy();
                files(inProject, "project", bundle);
                files(inWorkspace, "workspace", bundle);
                if (i % ROUNDS_PER_SESSION == 0) {
                    projectDirectory();
                }
            }
            assertThat(swap.isAlive()).as("the swapping process is running").isTrue();
        } finally {
            swap.destroyForcibly().waitFor();
        }
        assertNoCanaryBelow(server.data().resolve("sandboxes"));
        assertOutsideIsUnchanged();
        for (var what : List.of("deploy", "project read", "workspace read")) {
            assertThat(statuses)
                    .as("requests that succeeded and that failed")
                    .containsKeys(what + " true", what + " false");
        }
    }

    private void deploy() throws IOException {
        for (var path : List.of(app, app.resolve("real"))) {
            call(
                    "deploy",
                    () ->
                            server.api()
                                    .post(
                                            "/api/agents",
                                            Map.of("name", "race", "path", path.toString())));
            assertNoCanaryBelow(server.data().resolve("agents"));
        }
        call("agent list", () -> server.api().get("/api/agents/race/files"));
        call("agent read", () -> server.api().get("/api/agents/race/files/real/f0"));
    }

    private void files(TestSession session, String kind, String bundle) {
        var files = session.path() + "/files";
        var api = server.api();
        call(kind + " list", () -> api.get(files));
        call(kind + " read", () -> api.get(files + "/real/f0"));
        call(kind + " read file", () -> api.get(files + "/file"));
        call(kind + " delete", () -> api.delete(files + "/real/f1"));
        var upload = Map.of("path", "real/f1", "content", base64("inside".getBytes(UTF_8)));
        call(kind + " write", () -> api.post(files, Map.of("files", List.of(upload))));
        call(kind + " download", () -> api.get(session.path() + "/workspace"));
        call(
                kind + " upload",
                () -> api.post(session.path() + "/workspace", Map.of("bundle", bundle)));
    }

    /** Starts a session in a directory that may be a link by then. */
    private void projectDirectory() {
        var request = Map.of("agent", "plain", "workingDirectory", app.resolve("real").toString());
        var answer = call("project directory", () -> server.api().post("/api/sessions", request));
        if (answer.status() == 201) {
            var session = TestSession.of(server, answer.at("/session/id").asString());
            var exec = session.path() + "/exec";
            call(
                    "project exec",
                    () -> server.api().post(exec, Map.of("command", "cat CLAUDE.md f0")));
            call("project directory read", () -> server.api().get(session.path() + "/files/f0"));
            session.end();
        }
    }

    private ApiResponse call(String what, Supplier<ApiResponse> request) {
        var answer = request.get();
        statuses.merge(what + " " + (answer.status() < 300), 1, Integer::sum);
        assertThat(content(answer)).as(what).doesNotContain(canary);
        assertThat(answer.status()).as(() -> what + ": " + answer.text()).isNotEqualTo(500);
        return answer;
    }

    private static String content(ApiResponse answer) {
        var body = answer.body();
        if (body.length < 2 || body[0] != 0x1f) {
            return new String(body, ISO_8859_1);
        }
        try (var unzipped = new GZIPInputStream(new ByteArrayInputStream(body))) {
            return new String(unzipped.readAllBytes(), ISO_8859_1);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns an archive of another session with files below {@code real}. */
    private String bundle() {
        var source = server.session("plain");
        source.exec("mkdir -p real/new; echo inside > real/f2; echo inside > real/new/planted");
        var archive = server.api().get(source.path() + "/workspace").expect(200);
        source.end();
        return base64(archive.body());
    }

    private static String base64(byte[] content) {
        return Base64.getEncoder().encodeToString(content);
    }

    private void assertNoCanaryBelow(Path tree) throws IOException {
        try (var all = Files.walk(tree)) {
            for (var path : (Iterable<Path>) all::iterator) {
                if (Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS)) {
                    assertThat(Files.readString(path, ISO_8859_1))
                            .as(path.toString())
                            .doesNotContain(canary);
                }
            }
        } catch (UncheckedIOException e) {
            assertThat(e.getCause())
                    .isInstanceOf(NoSuchFileException.class); // removed during the walk
        }
    }

    private void assertOutsideIsUnchanged() throws IOException {
        assertThat(outside.toFile().list())
                .containsExactlyInAnyOrder(
                        IntStream.rangeClosed(-1, FILES - 1)
                                .mapToObj(i -> i < 0 ? "CLAUDE.md" : "f" + i)
                                .toArray(String[]::new));
        try (var files = Files.list(outside)) {
            for (var file : files.toList()) {
                assertThat(file).hasContent(canary);
            }
        }
    }
}
