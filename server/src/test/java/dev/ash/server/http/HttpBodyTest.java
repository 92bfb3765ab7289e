package dev.ash.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.protocol.ApiException;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/** Reading of request bodies over HTTP. */
class HttpBodyTest {
    record Note(String text, @Nullable Integer count) {}

    record Maybe(@Nullable String text) {}

    private static final int LIMIT = 100_000;
    private static final Endpoint[] ENDPOINTS = {
        Endpoint.post("/note")
                .open()
                .accepts(Note.class)
                .maxBodyBytes(LIMIT)
                .handledBy(
                        x -> x.respond(200, Map.of("length", x.body(Note.class).text().length()))),
        Endpoint.post("/strict")
                .open()
                .accepts(Note.class)
                .handledBy(
                        x -> {
                            x.body(Note.class);
                            throw ApiException.invalid("count", "must be even");
                        }),
        Endpoint.post("/maybe").open().accepts(Maybe.class).handledBy(HttpBodyTest::maybe),
        Endpoint.post("/bytes")
                .open()
                .maxBodyBytes(LIMIT)
                .handledBy(x -> x.respond(200, Map.of("length", x.bodyBytes().length))),
        Endpoint.post("/unread").open().maxBodyBytes(1 << 20).handledBy(x -> x.respond(204)),
    };
    private static final TestServer SERVER = new TestServer(ENDPOINTS);

    @AfterAll
    static void close() {
        SERVER.close();
    }

    private static void maybe(Exchange exchange) {
        exchange.respond(200, exchange.body(Maybe.class));
    }

    private static String post(String path, String headers, String body) {
        return "POST " + path + " HTTP/1.1\r\nHost: localhost\r\n" + headers + "\r\n" + body;
    }

    @Test
    void namesUnknownFieldsOfRejectedBodies() throws Exception {
        try (var client = SERVER.raw()) {
            var body = "{\"text\":\"a\",\"cuont\":3,\"version\":1}";
            var headers =
                    "Content-Type: application/json\r\nContent-Length: %d\r\n"
                            .formatted(body.length());

            assertThat(client.send(post("/strict", headers, body)).response().body())
                    .contains(
                            "\"error\":\"count: must be even. cuont: unknown field; did you mean count? version: unknown field\"");
            assertThat(client.send(post("/note", headers, body)).response().status())
                    .isEqualTo(200);
        }
    }

    @Test
    void readsEmptyBodyAsEmptyObject() throws Exception {
        try (var client = SERVER.raw()) {
            var json = "Content-Type: application/json\r\n";
            assertThat(
                            client.send(post("/maybe", json + "Content-Length: 0\r\n", ""))
                                    .response()
                                    .body())
                    .isEqualTo("{}");
            assertThat(client.send(post("/maybe", json, "")).response().body()).isEqualTo("{}");
            assertThat(client.send(post("/maybe", "", "")).response().body()).isEqualTo("{}");
            assertThat(client.send(post("/note", json, "")).response().body())
                    .contains("\"error\":\"text: is required\"");
        }
    }

    @Test
    void rejectsOtherContentTypes() throws Exception {
        try (var client = SERVER.raw()) {
            for (var type :
                    new String[] {
                        "text/plain",
                        "application/x-www-form-urlencoded",
                        "application/json; charset=iso-8859-1"
                    }) {
                var rejected =
                        client.send(
                                        post(
                                                "/maybe",
                                                "Content-Length: 2\r\nContent-Type: "
                                                        + type
                                                        + "\r\n",
                                                "{}"))
                                .response();
                assertThat(rejected.status()).isEqualTo(400);
                assertThat(rejected.body()).contains("Content-Type: must be application/json");
            }
            for (var type :
                    new String[] {
                        "application/json;charset=UTF-8",
                        "Application/JSON; charset=\"utf-8\"",
                        "application/vnd.ash+json"
                    }) {
                assertThat(
                                client.send(
                                                post(
                                                        "/maybe",
                                                        "Content-Length: 2\r\nContent-Type: "
                                                                + type
                                                                + "\r\n",
                                                        "{}"))
                                        .response()
                                        .status())
                        .isEqualTo(200);
            }
        }
    }

    @Test
    void namesInvalidFieldsOfBody() throws Exception {
        assertThat(SERVER.call("POST", "/note", "{\"text\":1}"))
                .satisfies(a -> assertThat(a.status()).isEqualTo(400))
                .satisfies(
                        a -> assertThat(a.body()).contains("\"error\":\"text: must be a string\""));
        assertThat(SERVER.call("POST", "/note", "{\"text\"").body())
                .contains("INVALID_JSON", "line 1, column 8");
    }

    @Test
    void readsChunkedBodies() throws Exception {
        try (var client = SERVER.raw()) {
            client.send(post("/note", "Transfer-Encoding: chunked\r\n", ""));
            client.send("7\r\n{\"text\"\r\n").send("6\r\n:\"abc\"\r\n").send("1\r\n}\r\n0\r\n\r\n");

            assertThat(client.response().body()).isEqualTo("{\"length\":3}");
            assertThat(client.send(post("/maybe", "", "")).response().status()).isEqualTo(200);
        }
    }

    @Test
    void rejectsDeclaredLengthWithoutReading() throws Exception {
        try (var client = SERVER.raw()) {
            var rejected =
                    client.send(
                                    post(
                                            "/bytes",
                                            "Content-Length: 100001\r\nExpect: 100-continue\r\n",
                                            ""))
                            .response();

            assertThat(rejected.status()).isEqualTo(413);
            assertThat(rejected.body())
                    .contains(
                            "\"error\":\"The body exceeds the limit of 100000 bytes for this endpoint\"",
                            "PAYLOAD_TOO_LARGE");
        }
    }

    @Test
    void sendsErrorToClientThatExceedsLimit() throws Exception {
        var body = "x".repeat(20_000_000);
        assertThat(SERVER.call("POST", "/bytes", body).status()).isEqualTo(413);
    }

    @Test
    void rejectsChunkedBodiesAboveLimit() throws Exception {
        try (var client = SERVER.raw()) {
            client.send(post("/bytes", "Content-Length: 100000\r\n", "x".repeat(LIMIT)));
            assertThat(client.response().body()).isEqualTo("{\"length\":100000}");

            client.send(post("/bytes", "Transfer-Encoding: chunked\r\n", ""));
            client.send("186A1\r\n" + "x".repeat(LIMIT + 1) + "\r\n0\r\n\r\n");
            assertThat(client.response().status()).isEqualTo(413);
            assertThat(client.atEnd()).isTrue();
        }
    }

    @Test
    void readsSlowBodiesAndTimesOutOnStalledOnes() throws Exception {
        try (var server = new TestServer(Duration.ofMillis(500), ENDPOINTS);
                var slow = server.raw();
                var stalled = server.raw()) {
            slow.send(post("/bytes", "Content-Length: 4\r\n", "ab"));
            stalled.send(post("/bytes", "Content-Length: 4\r\n", "ab"));
            var rejected = stalled.response();
            assertThat(rejected.status()).isEqualTo(400);
            assertThat(rejected.body()).contains("Timed out while reading the body");
            assertThat(stalled.atEnd()).isTrue();
        }
        try (var client = SERVER.raw()) {
            client.send(post("/bytes", "Content-Length: 4\r\n", "ab"));
            client.send("c").send("d");
            assertThat(client.response().body()).isEqualTo("{\"length\":4}");
        }
    }

    @Test
    void handlesTruncatedBodies() throws Exception {
        try (var client = SERVER.raw()) {
            client.send(post("/bytes", "Content-Length: 10\r\n", "abc"));
            client.socket.shutdownOutput();
            var rest = new String(client.socket.getInputStream().readAllBytes());
            assertThat(rest)
                    .satisfiesAnyOf(
                            r -> assertThat(r).isEmpty(), r -> assertThat(r).contains(" 400 "));
        }
        try (var client = SERVER.raw()) {
            client.send(post("/bytes", "Content-Length: 10\r\n", "abc"));
        }
        try (var client = SERVER.raw()) {
            client.send(post("/bytes", "Transfer-Encoding: chunked\r\n", "zz\r\n"));
            assertThat(client.response().status()).isEqualTo(400);
        }
        assertThat(SERVER.call("POST", "/maybe", "{}").status()).isEqualTo(200);
    }

    @Test
    void continuesAfterUnreadBody() throws IOException {
        try (var client = SERVER.raw()) {
            client.send(post("/unread", "Content-Length: 5\r\n", "hello"));
            assertThat(client.response().status()).isEqualTo(204);
            assertThat(client.send(post("/maybe", "", "")).response().status()).isEqualTo(200);
        }
    }

    @Test
    void answersUnknownRoutesEvenWithABody() throws IOException {
        assertThat(
                        SERVER.call("POST", "/nope", "{\"text\":\"" + "x".repeat(3_000_000) + "\"}")
                                .status())
                .isEqualTo(404);
    }
}
