package dev.ash.cli.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.ash.cli.Ash;
import dev.ash.cli.Ash.Result;
import dev.ash.server.ServerMain;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.jar.JarOutputStream;
import java.util.zip.ZipEntry;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;

/** Starts and stops a real process: a fake server in its own jar. */
class ServerProcessTest {
    @TempDir Path root;

    @BeforeEach
    void buildServer() throws IOException {
        var jar = Files.createDirectories(root.resolve("dist/server")).resolve("server.jar");
        var entry = ServerMain.class.getName().replace('.', '/') + ".class";
        try (var out = new JarOutputStream(Files.newOutputStream(jar));
                var in = ServerMain.class.getClassLoader().getResourceAsStream(entry)) {
            out.putNextEntry(new ZipEntry(entry));
            in.transferTo(out);
        }
    }

    @AfterEach
    void stopServer() {
        run("stop");
    }

    private Ash ash() {
        return new Ash(root).with("ASH_PORT", "0");
    }

    private Result run(String... args) {
        return ash().run(args);
    }

    @Test
    void startsShowsAndStopsTheServer() throws IOException {
        var started = run("start");
        assertThat(started.exitCode()).isZero();
        assertThat(started.out())
                .startsWith("Ash is running\n")
                .contains("server     http://localhost:", "engine     demo", "/docs");

        var config = root.resolve("home/.ash/config.json");
        assertThat(Files.readString(config))
                .contains("\"server_url\":\"http://localhost:", "\"api_key\":\"ash_first\"");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(config)))
                .isEqualTo("rw-------");

        var again = run("start", "--json");
        assertThat(again.exitCode()).isZero();
        assertThat(again.out()).startsWith("{\"running\":true,\"url\":\"http://localhost:");
        assertThat(run("start").out()).startsWith("Ash is already running\n");
        assertThat(run("start", "--port", "1").exitCode()).isEqualTo(6);

        assertThat(run("status").exitCode()).isZero();
        assertThat(run("status", "--json").out()).contains("\"health\":{\"status\":\"ok\"");
        assertThat(run("health").out()).contains("status     ok");
        assertThat(run("logs", "-n", "1").out()).startsWith("listening");
        assertThat(run("logs", "--json").out()).contains("\"lines\":[\"listening");

        assertThat(run("stop")).isEqualTo(new Result(0, "Stopped.\n", ""));
        assertThat(root.resolve("data/server.pid")).doesNotExist();
        assertThat(run("status").exitCode()).isEqualTo(3);
        assertThat(run("stop").out()).startsWith("No server is running");
        assertThat(run("health").exitCode()).isEqualTo(3);
    }

    @Test
    void printsErrorMessageOfTheServer() {
        var result =
                ash().with("FAKE_FAILURE", "ash: Port 4100 is taken. Choose another.").run("start");

        assertThat(result)
                .isEqualTo(new Result(1, "", "ash: Port 4100 is taken. Choose another.\n"));
    }

    @Test
    void printsEndOfLogIfServerExitsWithoutMessage() {
        var result = ash().with("FAKE_FAILURE", "Exception in thread main").run("start");

        assertThat(result.exitCode()).isEqualTo(1);
        assertThat(result.err())
                .contains("exited immediately with code 1")
                .contains("a line of log\nException in thread main");
    }

    @Test
    void findsServerByConfiguredDataDirectory() {
        var elsewhere = root.resolve("elsewhere").toString();
        var withoutVariable = new Ash(root).with("ASH_PORT", "0").with("ASH_DATA_DIR", "");

        assertThat(withoutVariable.run("start", "--data-dir", elsewhere).exitCode()).isZero();

        assertThat(withoutVariable.run("status").out()).contains(elsewhere);
        assertThat(withoutVariable.run("stop").out()).isEqualTo("Stopped.\n");
    }

    @Test
    void reportsUncreatableDataDirectory() throws IOException {
        Files.writeString(root.resolve("file"), "");

        var result = run("start", "--data-dir", "file/data");

        assertThat(result.exitCode()).isEqualTo(1);
        assertThat(result.err())
                .contains("Cannot create the data directory", "file/data")
                .contains("--data-dir");
    }

    @Test
    void ignoresPidOfAnotherProcess() throws IOException {
        Files.createDirectories(root.resolve("data"));
        Files.writeString(
                root.resolve("data/server.pid"),
                "{\"pid\":%d,\"port\":1}".formatted(ProcessHandle.current().pid()));

        assertThat(run("stop").out()).startsWith("No server is running");
    }

    @Test
    void startsServerForChat() throws IOException {
        Files.createDirectories(root.resolve("home/.ash"));
        Files.writeString(
                root.resolve("home/.ash/config.json"),
                "{\"server_url\":\"http://localhost:1\",\"other\":[1]}");

        var result = run("chat", "hello", "hi");

        // The fake server has no sessions, so the chat itself fails.
        assertThat(result.err()).startsWith("No server is running; starting one");
        assertThat(run("agent", "list").exitCode()).isZero();
        assertThat(root.resolve("home/.ash/config.json")).content().contains("\"other\":[1]");
    }

    @Test
    void runsInForegroundUntilServerExits() {
        var result = ash().with("FAKE_FAILURE", "x").run("start", "--foreground");

        assertThat(result.exitCode()).isEqualTo(1);
    }

    @Test
    void waitsInForegroundForRunningServer() {
        run("start");
        var waiting = CompletableFuture.supplyAsync(() -> run("start", "--foreground"));
        var config = root.resolve("home/.ash/config.json").toFile();
        assertThat(config.delete()).isTrue();
        await().atMost(Duration.ofMinutes(1)).until(config::exists); // the server was found
        assertThat(waiting).isNotDone();

        run("stop");

        assertThat(waiting).succeedsWithin(Duration.ofSeconds(30)).isEqualTo(new Result(0, "", ""));
    }

    @Test
    void reportsMissingLog() {
        assertThat(run("logs").exitCode()).isEqualTo(4);
    }

    @Test
    void startsServerWithConfiguredHeap() throws IOException {
        assertThat(ash().with("ASH_HEAP_MB", "plenty").run("start").err())
                .contains(
                        "Invalid ASH_HEAP_MB \"plenty\": expected a whole number of megabytes from"
                                + " 128 to 1048576");
        assertThat(ash().with("ASH_HEAP_MB", "127").run("start").exitCode()).isNotZero();

        assertThat(ash().with("ASH_HEAP_MB", "200").run("start").exitCode()).isZero();
        assertThat(arguments()).contains("-Xmx200m", "-XX:+ExitOnOutOfMemoryError");
        run("stop");
        assertThat(run("start").exitCode()).isZero();
        assertThat(arguments()).contains("-Xmx512m", "-XX:+ExitOnOutOfMemoryError");
    }

    private List<String> arguments() throws IOException {
        var json = new JsonMapper().readTree(run("status", "--json").out());
        var line = Files.readString(Path.of("/proc/" + json.path("pid").asLong() + "/cmdline"));
        return List.of(line.split("\0"));
    }
}
