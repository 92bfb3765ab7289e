package dev.ash.cli.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.cli.Ash;
import dev.ash.sdk.FakeServer;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GatewayCommandsTest {
    private static final String LOCAL =
            "{\"gateway\":{\"status\":\"listening\",\"host\":\"127.0.0.1\",\"port\":3000,\"url\":\"wss://127.0.0.1:3000\",\"fingerprint\":\"ab\",\"reachable\":false}}";
    private static final String EXPOSED =
            "{\"gateway\":{\"status\":\"listening\",\"host\":\"0.0.0.0\",\"port\":3000,\"url\":\"wss://192.168.1.20:3000\",\"fingerprint\":\"ab\",\"reachable\":true,\"note\":\"Mind this\"}}";

    @TempDir Path root;
    private FakeServer server;

    @BeforeEach
    void start() throws IOException {
        server = new FakeServer();
    }

    @AfterEach
    void stop() throws IOException {
        server.close();
    }

    private Ash.Result run(String... args) {
        return new Ash(root).server(server).run(args);
    }

    @Test
    void statusShowsAddressAndReachability() {
        server.on("GET /api/gateway", LOCAL);

        assertThat(run("gateway", "status").out())
                .isEqualTo(
                        """
                        gateway      wss://127.0.0.1:3000 (only this machine can connect; for others: ash gateway expose ADDRESS)
                        listens on   127.0.0.1 port 3000
                        fingerprint  ab
                        """);
        assertThat(run("gateway", "status", "--json").out().strip()).isEqualTo(LOCAL);
    }

    @Test
    void exposeMovesGatewayAndPrintsNextStep() {
        server.on("PATCH /api/gateway", EXPOSED);

        var result = run("gateway", "expose", "0.0.0.0", "--port", "3000");

        assertThat(result.exitCode()).isZero();
        assertThat(server.lines())
                .containsExactly("PATCH /api/gateway {\"host\":\"0.0.0.0\",\"port\":3000}");
        assertThat(result.out())
                .contains("wss://192.168.1.20:3000\n", "Mind this", "Next: ash devices pair");
    }

    @Test
    void hideRestrictsGatewayToLoopback() {
        server.on("PATCH /api/gateway", LOCAL);

        assertThat(run("gateway", "hide").exitCode()).isZero();
        assertThat(server.lines()).containsExactly("PATCH /api/gateway {\"host\":\"127.0.0.1\"}");
    }

    @Test
    void failsIfServerRejectsAddress() {
        server.on("PATCH /api/gateway", 400, "{\"error\":\"host: must be an IP address\"}");

        var result = run("gateway", "expose", "example.org");

        assertThat(result.exitCode()).isEqualTo(1);
        assertThat(result.err()).contains("must be an IP address");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            textBlock =
                    """
                    {"status":"listening","url":"wss://h:3000","reachable":true} | wss://h:3000
                    {"status":"listening","url":"wss://127.0.0.1:3000","reachable":false} | only this machine can connect
                    {"status":"failed","reachable":false,"problem":"Port 3000 is in use"} | not available: Port 3000 is in use
                    {"status":"off","reachable":false} | off (ASH_GATEWAY=0)
                    {"status":"starting","reachable":false} | starting
                    """)
    void healthAndDoctorReportGateway(String gateway, String expected) {
        server.on(
                "GET /health",
                "{\"status\":\"ok\",\"version\":\"1\",\"gateway\":%s}".formatted(gateway));

        assertThat(run("health").out()).contains("gateway").contains(expected);
        assertThat(run("doctor").out().lines().filter(line -> line.contains("gateway")).findFirst())
                .hasValueSatisfying(
                        line ->
                                assertThat(line)
                                        .startsWith(expected.contains("in use") ? "weak" : "ok"));
        assertThat(run("doctor").out()).contains(expected.replace("not available: ", ""));
    }
}
