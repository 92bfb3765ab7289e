package dev.ash.e2e.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.ash.e2e.AshServer;
import dev.ash.e2e.Frame;
import dev.ash.e2e.TestDirectory;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * Documents 001 and 003: standalone mode needs no configuration; unsupported modes fail at startup.
 */
class ArchitectureModesTest {
    private static final String RUNNERS = "docs/differences.md#coordinator-mode-and-runners";

    private static String postgres = "";

    @Test
    @Statement(id = "001-02", says = "ash-server listens on :4100")
    void listensOnPort4100ByDefault() throws IOException {
        // Another process may use the port already; in both cases the server must fail to bind it.
        try (var _ = taken(4100)) {
            assertThat(startFailure(Map.of("ASH_PORT", ""))).contains("4100");
        }
    }

    @Test
    @Statement(id = "003-23", says = "Server: port 4100")
    void namesPort4100AsThePortOfTheServer() throws Exception {
        assertThat(
                        Class.forName("dev.ash.protocol.Limits")
                                .getField("DEFAULT_SERVER_URL")
                                .get(null))
                .isEqualTo("http://localhost:4100");
    }

    @Test
    @Statement(id = "001-11", says = "Standalone mode is the default: zero configuration needed")
    void startsAndAnswersWithoutAnySetting() {
        var unset =
                List.of("env", "-u", "ASH_ENGINE", "-u", "ASH_PREWARM", "-u", "ANTHROPIC_API_KEY");
        try (var server = AshServer.startWith(unset, Map.of(), TestDirectory.create())) {
            server.deploy("hello");
            var session = server.session("hello");

            assertThat(Frame.said(session.ask("hello"))).containsIgnoringCase("demo");
            assertThat(server.api().get("/health").at("/remoteRunners").asInt(-1)).isZero();
        }
    }

    @Test
    @Statement(
            id = "001-12",
            says = "ASH_MODE=coordinator makes the server a pure control plane",
            verdict = Verdict.NOT_YET,
            instead = "a server with this setting does not start, and reports the reason",
            see = RUNNERS)
    void refusesCoordinatorMode() {
        assertThat(startFailure(Map.of("ASH_MODE", "coordinator")))
                .contains("ASH_MODE", "coordinator");
    }

    @Test
    @Statement(
            id = "001-15",
            says = "Runners host the sandboxes",
            verdict = Verdict.NOT_YET,
            instead = "a server does not start as a runner",
            see = RUNNERS)
    void refusesRunnerMode() {
        assertThat(startFailure(Map.of("ASH_MODE", "runner"))).contains("ASH_MODE", "runner");
    }

    @Test
    @Statement(
            id = "001-17",
            says = "The coordinator stores its state in SQLite or Postgres",
            verdict = Verdict.NOT_YET,
            instead = "a server with a database URL does not start, and reports the reason",
            see = "docs/differences.md#postgresql")
    void refusesADatabaseUrl() {
        assertThat(postgres()).contains("ASH_DATABASE_URL");
    }

    @Test
    @Statement(
            id = "003-22",
            says = "The server persists state to Postgres",
            verdict = Verdict.NOT_YET,
            instead = "a server with a database URL does not start, and reports the reason",
            see = "docs/differences.md#postgresql")
    void refusesPostgresWithoutShowingThePassword() {
        assertThat(postgres()).contains("ASH_DATABASE_URL").doesNotContain("secret");
    }

    /** One start for both statements. */
    private static synchronized String postgres() {
        if (postgres.isEmpty()) {
            postgres =
                    startFailure(
                            Map.of("ASH_DATABASE_URL", "postgres://ash:secret@localhost:5432/ash"));
        }
        return postgres;
    }

    private static AutoCloseableSocket taken(int port) {
        try {
            return new AutoCloseableSocket(
                    new ServerSocket(port, 1, InetAddress.getLoopbackAddress()));
        } catch (IOException e) {
            return new AutoCloseableSocket(null); // already in use
        }
    }

    private record AutoCloseableSocket(ServerSocket socket) implements AutoCloseable {
        @Override
        public void close() throws IOException {
            if (socket != null) {
                socket.close();
            }
        }
    }

    /** Returns the error of a server that does not start with these settings. */
    private static String startFailure(Map<String, String> settings) {
        var directory = TestDirectory.create();
        try {
            var refused =
                    catchThrowableOfType(
                            AshServer.NotStarted.class,
                            () -> AshServer.start(settings, directory).close());
            assertThat(refused).as("the server started with " + settings).isNotNull();
            assertThat(refused.exitCode()).isNotZero();
            return refused.getMessage();
        } finally {
            directory.close();
        }
    }
}
