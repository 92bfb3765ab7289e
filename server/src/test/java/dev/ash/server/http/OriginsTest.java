package dev.ash.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OriginsTest {
    private static final TestServer SERVER =
            new TestServer(
                    TestServer.config(
                            Duration.ofSeconds(30),
                            Set.of("ash.example.org"),
                            Set.of("https://console.example.org")),
                    Endpoint.get("/health")
                            .open()
                            .handledBy(x -> x.respond(200, Map.of("status", "ok"))));

    @AfterAll
    static void close() {
        SERVER.close();
    }

    private static RawClient.Response get(String headers) throws IOException {
        return send("GET /health HTTP/1.1\r\n" + headers + "\r\n");
    }

    private static RawClient.Response send(String request) throws IOException {
        try (var client = SERVER.raw()) {
            return client.send(request).response();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "localhost",
                "LOCALHOST:4100",
                "localhost.",
                "127.0.0.1",
                "127.1.2.3:80",
                "[::1]:4100",
                "ash.example.org"
            })
    void acceptsLoopbackAndAllowedHosts(String host) throws IOException {
        assertThat(get("Host: " + host + "\r\n").status()).isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "evil.example",
                "evil.example:4100",
                "localhost.evil.example",
                "127.0.0.1.evil.example",
                "192.168.1.5",
                "1270.0.0.1",
                "[::2]",
                "2130706433",
                "0.0.0.0"
            })
    void rejectsOtherHosts(String host) throws IOException {
        var rejected = get("Host: " + host + "\r\n");

        assertThat(rejected.status()).isEqualTo(403);
        assertThat(rejected.body()).contains("FORBIDDEN", "localhost only", "ASH_ALLOWED_HOSTS");
    }

    @Test
    void rejectsOtherHostsInRequestLine() throws IOException {
        assertThat(
                        send("GET http://evil.example/health HTTP/1.1\r\nHost: localhost\r\n\r\n")
                                .status())
                .isIn(400, 403);
        assertThat(
                        send("GET http://evil.example/health HTTP/1.1\r\nHost: evil.example\r\n\r\n")
                                .status())
                .isEqualTo(403);
    }

    @Test
    void rejectsOtherHostsBeforeRouting() throws IOException {
        assertThat(send("GET /nope HTTP/1.1\r\nHost: evil.example\r\n\r\n").status())
                .isEqualTo(403);
    }

    @Test
    void acceptsSameOrigin() throws IOException {
        assertThat(get("Host: localhost:4100\r\nOrigin: http://localhost:4100\r\n").status())
                .isEqualTo(200);
        assertThat(get("Host: ash.example.org\r\nOrigin: https://ash.example.org\r\n").status())
                .isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "http://evil.example",
                "http://localhost:3000",
                "null",
                "https://localhost:4100.evil",
                "x y",
                "file://"
            })
    void rejectsOtherOrigins(String origin) throws IOException {
        var rejected = get("Host: localhost:4100\r\nOrigin: " + origin + "\r\n");

        assertThat(rejected.status()).isEqualTo(403);
        assertThat(rejected.body()).contains("ASH_ALLOWED_ORIGINS");
        assertThat(rejected.header("Access-Control-Allow-Origin")).isEmpty();
    }

    @Test
    void acceptsAllowedOrigins() throws IOException {
        var page = "Host: localhost:4100\r\nOrigin: https://console.example.org\r\n";

        assertThat(get(page).header("Access-Control-Allow-Origin"))
                .isEqualTo("https://console.example.org");
        var preflight =
                send(
                        "OPTIONS /health HTTP/1.1\r\n"
                                + page
                                + "Access-Control-Request-Method: GET\r\n\r\n");
        assertThat(preflight.status()).isEqualTo(204);
        assertThat(preflight.header("Access-Control-Allow-Headers")).contains("Authorization");
    }

    private static HttpConfig publicListener(Set<String> allowed) {
        return new HttpConfig(
                "0.0.0.0", 0, Duration.ofSeconds(30), Duration.ofSeconds(1), allowed, Set.of(), 0);
    }

    private static int statusOnPublicListener(Set<String> allowed, String host) throws IOException {
        var endpoint = Endpoint.get("/x").open().handledBy(x -> x.respond(204));
        try (var server = new TestServer(publicListener(allowed), endpoint);
                var client = server.raw()) {
            return client.send("GET /x HTTP/1.1\r\nHost: " + host + "\r\n\r\n").response().status();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "localhost:4100",
                "127.0.0.1",
                "192.168.1.5:4100",
                "[fd00::5]:4100",
                "ASH.example.org:4100"
            })
    void acceptsAddressesAndAllowedHostsOnPublicListener(String host) throws IOException {
        assertThat(statusOnPublicListener(Set.of("Ash.Example.org"), host)).isEqualTo(204);
    }

    @Test
    void acceptsMachineNamesOnPublicListener() throws IOException {
        for (var name : MachineNames.all()) {
            assertThat(statusOnPublicListener(Set.of(), name + ":4100")).as(name).isEqualTo(204);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"evil.example", "192.168.1.5.evil.example", "2130706433", "0x7f000001"})
    void rejectsOtherHostsOnPublicListener(String host) throws IOException {
        assertThat(statusOnPublicListener(Set.of(), host)).isEqualTo(403);
    }

    @Test
    void acceptsAllHostsIfConfigured() throws IOException {
        assertThat(statusOnPublicListener(Set.of("*"), "my.server")).isEqualTo(204);
    }
}
