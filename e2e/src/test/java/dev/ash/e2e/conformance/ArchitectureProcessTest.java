package dev.ash.e2e.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.e2e.AshServer;
import dev.ash.e2e.Processes;
import dev.ash.e2e.Programs;
import dev.ash.e2e.TestDirectory;
import java.nio.file.Files;
import java.util.HashMap;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import tools.jackson.databind.json.JsonMapper;

/** Document 001: {@code ash start|stop|status|logs}, on one server. */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class ArchitectureProcessTest {
    private static final String CONTAINERS = "docs/differences.md#container-lifecycle";
    private static final String MARKER = "/nowhere/ash-e2e-" + UUID.randomUUID();

    private static TestDirectory directory;
    private static ArchitectureCommand ash;

    @BeforeAll
    static void prepare() {
        directory = TestDirectory.create();
        Programs.prepare(directory.data());
        var environment = new HashMap<String, String>();
        environment.put("ASH_DATA_DIR", directory.data().toString());
        environment.put("ASH_ENGINE", "demo");
        environment.put("ASH_PREWARM", "0");
        environment.put("ASH_GATEWAY", "0");
        environment.put(AshServer.MARKER_VARIABLE, MARKER);
        environment.put("JDK_JAVA_OPTIONS", String.join(" ", Programs.serverFlags()));
        ash = new ArchitectureCommand(directory, environment);
    }

    @AfterAll
    static void stop() throws Exception {
        ash.run("stop");
        assertThat(Processes.matching(process -> process.mentions(MARKER))).isEmpty();
        directory.close();
    }

    @Test
    @Order(1)
    @Statement(
            id = "001-81",
            says = "ash start starts a Docker container",
            verdict = Verdict.NOT_YET,
            instead = "it starts the server as a process in the background",
            see = CONTAINERS)
    void startsAProcess() throws Exception {
        var result = ash.run("start", "--port", "0");

        assertThat(result.exit()).as(result.all()).isZero();
        assertThat(ProcessHandle.of(pid())).isPresent();
    }

    @Test
    @Order(2)
    @Statement(
            id = "001-83",
            says = "ash status shows the Docker container",
            verdict = Verdict.NOT_YET,
            instead = "it shows the server's process on this machine",
            see = CONTAINERS)
    void showsTheProcess() throws Exception {
        var result = ash.run("status");

        assertThat(result.exit()).isZero();
        assertThat(result.out()).contains(Long.toString(pid()));
    }

    @Test
    @Order(3)
    @Statement(
            id = "001-84",
            says = "ash logs shows the logs of the Docker container",
            verdict = Verdict.NOT_YET,
            instead = "it shows server.log of the data directory",
            see = CONTAINERS)
    void showsTheLogOfTheServer() throws Exception {
        var result = ash.run("logs");

        assertThat(result.exit()).isZero();
        assertThat(result.out().strip())
                .isNotEmpty()
                .isEqualTo(Files.readString(directory.data().resolve("server.log")).strip());
    }

    @Test
    @Order(4)
    @Statement(
            id = "001-82",
            says = "ash stop stops the Docker container",
            verdict = Verdict.NOT_YET,
            instead = "it terminates the server's process and all its sandboxes",
            see = CONTAINERS)
    void endsTheProcess() throws Exception {
        long server = pid();

        assertThat(ash.run("stop").exit()).isZero();

        assertThat(Processes.matching(process -> process.pid() == server)).isEmpty();
        assertThat(ash.run("status").exit()).isEqualTo(3);
    }

    private static long pid() throws Exception {
        var file = Files.readAllBytes(directory.data().resolve("server.pid"));
        return new JsonMapper().readTree(file).path("pid").asLong();
    }
}
