package dev.ash.e2e.isolation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.ash.e2e.AshServer;
import dev.ash.e2e.HostProcess;
import dev.ash.e2e.TestDirectory;
import dev.ash.e2e.gateway.DeviceClient;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The isolation inventory: checks each process that the server starts while it runs. The commands
 * of agents and repositories block until the inventory has checked them. A process that is neither
 * inside a sandbox nor listed in {@link HostProcess} fails the test.
 */
class InventoryTest {
    private static final Duration LONG = Duration.ofMinutes(1);

    private AshServer server;
    private Inventory inventory;
    private Path projects;

    @BeforeEach
    void start() {
        var directory = TestDirectory.create();
        projects = directory.path().resolve("projects");
        server =
                AshServer.start(
                        Map.of(
                                "ASH_GATEWAY",
                                "1",
                                "ASH_GATEWAY_PORT",
                                "0",
                                "ASH_PROJECT_ROOTS",
                                projects.toString(),
                                "ASH_PAIR_DIR",
                                directory.path().resolve("agentpair").toString()),
                        directory);
        inventory = new Inventory(server.process().pid(), isRoot());
    }

    @AfterEach
    void stop() throws InterruptedException {
        inventory.stop();
        server.close();
    }

    @Test
    void isolatesOrListsEveryProcess() throws Exception {
        sessions();
        terminalGit();
        pair();

        inventory.assertNoFaults();
        assertThat(inventory.outside()).contains(HostProcess.BUBBLEWRAP);
    }

    private void sessions() throws Exception {
        server.deploy(
                "agent",
                Map.of("CLAUDE.md", "x\n", "install.sh", "sh -c '" + blocking("install") + "'\n"));
        var created = inBackground(() -> server.session("agent"));
        var sandboxes = server.data().resolve("sandboxes");
        release("install", sandboxes);
        var session = created.join();
        awaitChecked("the bridge", process -> process.command().contains("dev.ash.bridge"));

        var exec = inBackground(() -> session.exec(blocking("exec")));
        release("exec", sandboxes);
        assertThat(exec.join().path("exitCode").asInt()).isZero();

        session.ask("hello");
        server.api().get(session.path() + "/files").expect(200);
        session.post("fork").expect(201);
        session.post("end");
    }

    private void terminalGit() throws Exception {
        var repository = repository("terminal", 1);
        git(repository, "config", "filter.wait.clean", blocking("clean") + "; cat");
        Files.writeString(repository.resolve(".gitattributes"), "*.txt filter=wait\n");
        Files.writeString(repository.resolve("0.txt"), "changed\n");
        own(repository);
        var id = "11111111-2222-4333-8444-555555555555";
        var token = Files.readString(server.data().resolve("hook-token")).strip();
        server.api()
                .exchange(
                        "POST",
                        "/hooks/event",
                        "{\"session_id\":\"%s\",\"cwd\":\"%s\",\"hook_event_name\":\"SessionStart\"}"
                                .formatted(id, repository),
                        request -> request.setHeader("Authorization", "Bearer " + token))
                .expect(200);
        try (var phone = DeviceClient.enter(DeviceClient.pair(server))) {
            var commit = Map.of("session_id", id, "message", "x", "files", List.of("0.txt"));
            var answer = inBackground(() -> phone.request("git_commit", commit));
            release("clean", repository);
            assertThat(answer.join().path("type").asString()).isEqualTo("git_status_response");
        }
    }

    private void pair() throws Exception {
        var repository = repository("pair", 3);
        var fifo = repository.resolve(".git/wait");
        run(repository, "mkfifo", fifo.toString());
        var config = Files.readString(repository.resolve(".git/config"));
        Files.writeString(repository.resolve(".git/config"), config + "[include]\n\tpath = wait\n");
        own(repository);
        var request = Map.of("repository", repository.toString(), "task", "Write a file");
        var made = inBackground(() -> server.api().post("/api/pairs", request).expect(201));

        awaitChecked(
                "git in a repository", process -> process.command().startsWith("git rev-parse"));
        Files.writeString(repository.resolve(".git/config"), config);
        new FileOutputStream(fifo.toFile()).close(); // git blocks until the FIFO has a writer

        var id = made.join().at("/pair/id").asString();
        reviewersClone();
        await().atMost(Duration.ofMinutes(3))
                .pollInterval(Duration.ofMillis(100))
                .until(
                        () ->
                                server.api()
                                        .get("/api/pairs/" + id)
                                        .expect(200)
                                        .at("/pair/state")
                                        .asString()
                                        .equals("over"));
    }

    /** Blocks git on a FIFO in the place of FETCH_HEAD until the inventory has checked it. */
    private void reviewersClone() throws Exception {
        var bundles = server.data().resolve("bundles");
        await().atMost(LONG)
                .pollInterval(Duration.ofMillis(10))
                .until(() -> find(bundles, path -> path.toString().endsWith(".cloned")) != null);
        var clone =
                find(
                        server.data().resolve("sandboxes"),
                        path -> path.endsWith(".git/config") && isReviewerConfig(path));
        var fifo = clone.resolveSibling("FETCH_HEAD");
        Files.deleteIfExists(fifo);
        run(clone.getParent(), "mkfifo", "--mode=666", fifo.toString());

        awaitChecked("git in the reviewer's clone", p -> p.command().contains("refs/ash/review"));
        try (var in = new FileInputStream(fifo.toFile())) {
            Files.delete(fifo);
            in.transferTo(OutputStream.nullOutputStream());
        }
    }

    private static boolean isReviewerConfig(Path config) {
        try {
            return Files.readString(config).contains("name = reviewer");
        } catch (IOException e) {
            return false;
        }
    }

    private static <T> CompletableFuture<T> inBackground(Callable<T> work) {
        return CompletableFuture.supplyAsync(
                () -> {
                    try {
                        return work.call();
                    } catch (Exception e) {
                        throw new CompletionException(e);
                    }
                },
                task -> Thread.ofVirtual().start(task));
    }

    /**
     * Returns a shell command that blocks until released, and fails if it can create a namespace.
     */
    private static String blocking(String name) {
        return ("if unshare -Ur true; then exit 9; fi; : > %1$s.blocking; i=0;"
                        + " while [ ! -e %1$s.go ] && [ $i -lt 900 ]; do sleep 0.05; i=$((i+1)); done")
                .formatted(name);
    }

    /** Waits until the command blocks and was checked, then releases it. */
    private void release(String name, Path below) throws IOException {
        var blocking =
                await().atMost(LONG)
                        .pollInterval(Duration.ofMillis(20))
                        .until(
                                () -> find(below, path -> path.endsWith(name + ".blocking")),
                                found -> found != null);
        awaitChecked(name, process -> process.command().contains(": > " + name + ".blocking"));
        Files.createFile(blocking.resolveSibling(name + ".go"));
    }

    private static Path find(Path below, Predicate<Path> wanted) {
        try (var files = Files.find(below, 4, (path, _) -> wanted.test(path))) {
            return files.findFirst().orElse(null);
        } catch (IOException | java.io.UncheckedIOException e) {
            return null; // files disappear during the search
        }
    }

    private void awaitChecked(String what, Predicate<ProcessSnapshot> wanted) {
        await().alias(what + " was checked inside a sandbox")
                .atMost(LONG)
                .pollInterval(Duration.ofMillis(20))
                .until(
                        () -> {
                            inventory.assertNoFaults();
                            return inventory.hasChecked(wanted);
                        });
    }

    private Path repository(String name, int files) throws Exception {
        var path = Files.createDirectories(projects.resolve(name)).toRealPath();
        for (int i = 0; i < files; i++) {
            Files.writeString(path.resolve(i + ".txt"), "content\n");
        }
        git(path, "init", "--quiet", "--initial-branch=main");
        git(path, "add", "--all");
        git(path, "commit", "--quiet", "--message=first");
        own(path);
        return path;
    }

    private static void git(Path directory, String... words) throws Exception {
        var all = new ArrayList<>(List.of("git", "-c", "safe.directory=*"));
        all.addAll(List.of("-c", "user.name=S", "-c", "user.email=s@example.org"));
        all.addAll(List.of(words));
        run(directory, all.toArray(String[]::new));
    }

    private static void own(Path directory) throws Exception {
        if (isRoot()) {
            run(directory, "chown", "-R", "-h", "4711:4712", directory.toString());
        }
    }

    private static boolean isRoot() {
        return "root".equals(System.getProperty("user.name"));
    }

    private static void run(Path directory, String... words) throws Exception {
        var process =
                new ProcessBuilder(words)
                        .directory(directory.toFile())
                        .redirectErrorStream(true)
                        .start();
        var output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
    }
}
