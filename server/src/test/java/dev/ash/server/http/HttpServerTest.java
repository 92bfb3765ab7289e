package dev.ash.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.SessionId;
import dev.ash.server.identity.Scope;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HttpServerTest {
    record Echo(String value, String q) {}

    private static final SessionId SESSION = SessionId.random();

    private static final TestServer SERVER =
            new TestServer(
                    Endpoint.get("/health")
                            .open()
                            .handledBy(x -> x.respond(200, Map.of("status", "ok"))),
                    Endpoint.get("/api/me")
                            .handledBy(x -> x.respond(200, Map.of("key", x.caller().id()))),
                    Endpoint.get("/api/items/{id}").handledBy(HttpServerTest::echo),
                    Endpoint.delete("/api/items/{id}")
                            .scope(Scope.RUN)
                            .handledBy(x -> x.respond(204)),
                    Endpoint.get("/api/files/{path*}").handledBy(HttpServerTest::echo),
                    Endpoint.get("/api/bytes").handledBy(HttpServerTest::bytes),
                    Endpoint.get("/api/bug")
                            .handledBy(
                                    _ -> {
                                        throw new IllegalStateException("secret detail");
                                    }),
                    Endpoint.get("/api/half").handledBy(HttpServerTest::half),
                    Endpoint.get("/api/silent").handledBy(_ -> {}),
                    Endpoint.get("/api/known")
                            .handledBy(
                                    x -> {
                                        x.setSession(SESSION);
                                        throw new ApiException(
                                                ErrorCode.SESSION_BUSY, "A turn is running");
                                    }));

    @AfterAll
    static void close() {
        SERVER.close();
    }

    private static void echo(Exchange exchange) {
        var variable = exchange.path(exchange.header("X-Tail").isPresent() ? "path" : "id");
        exchange.respond(200, new Echo(variable, exchange.query("q").orElse("(none)")));
    }

    private static void bytes(Exchange exchange) throws IOException {
        try (var out = exchange.stream(200, Map.of("Content-Type", "application/gzip"))) {
            out.write(new byte[] {1, 2, 3});
        }
    }

    private static void half(Exchange exchange) throws IOException {
        var out = exchange.stream(200, Map.of("Content-Type", "text/plain"));
        out.write("half".getBytes());
        out.flush();
        throw new IOException("the source broke");
    }

    @Test
    void respondsWithJson() throws Exception {
        try (var client = SERVER.raw()) {
            var response =
                    client.send("GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n").response();

            assertThat(response.status()).isEqualTo(200);
            assertThat(response.body()).isEqualTo("{\"status\":\"ok\"}");
            assertThat(response.header("Content-Type"))
                    .isEqualTo("application/json; charset=utf-8");
            assertThat(response.header("X-Content-Type-Options")).isEqualTo("nosniff");
            assertThat(response.header("Cache-Control")).isEqualTo("no-store");
            assertThat(response.header("Server")).isEmpty();
        }
    }

    @Test
    void requiresKeyUnlessEndpointIsOpen() throws Exception {
        assertThat(withAuthorization(""))
                .startsWith("401 Missing Authorization header; send ")
                .contains("initial-api-key", "~/.ash/config.json");
        for (var wrong :
                List.of("Bearer", "Bearer ", "bearer x", "Basic x", "Bearer a b", "Bearer  a")) {
            assertThat(withAuthorization("Authorization: " + wrong + "\r\n"))
                    .startsWith("401 Invalid Authorization header format; send ")
                    .contains("initial-api-key");
        }
        assertThat(withAuthorization("Authorization: Bearer nope\r\n"))
                .startsWith("401 Invalid API key: ")
                .contains("initial-api-key", "~/.ash/config.json");
        assertThat(SERVER.get("/api/me").body()).isEqualTo("{\"key\":\"key-1\"}");
    }

    private static String withAuthorization(String header) throws IOException {
        try (var client = SERVER.raw()) {
            var response =
                    client.send("GET /api/me HTTP/1.1\r\nHost: localhost\r\n" + header + "\r\n")
                            .response();
            assertThat(response.header("WWW-Authenticate")).startsWith("Bearer");
            var error = Json.MAPPER.readTree(response.body());
            assertThat(error.get("code").asString()).isEqualTo("UNAUTHORIZED");
            return error.get("statusCode") + " " + error.get("error").asString();
        }
    }

    @Test
    void distinguishesUnknownRoutesFromOtherMethods() throws Exception {
        assertThat(SERVER.get("/api/nope"))
                .satisfies(a -> assertThat(a.status()).isEqualTo(404))
                .satisfies(
                        a ->
                                assertThat(a.body())
                                        .contains(
                                                "\"error\":\"Route GET:/api/nope not found",
                                                "\"code\":\"ROUTE_NOT_FOUND\"",
                                                "\"statusCode\":404"));
        try (var client = SERVER.raw()) {
            var rejected =
                    client.send("PUT /api/items/1 HTTP/1.1\r\nHost: localhost\r\n\r\n").response();
            assertThat(rejected.status()).isEqualTo(405);
            assertThat(rejected.header("Allow")).isEqualTo("GET, DELETE");
            assertThat(rejected.body()).contains("METHOD_NOT_ALLOWED");

            var unknown =
                    client.send("BREW /health HTTP/1.1\r\nHost: localhost\r\n\r\n").response();
            assertThat(unknown.status()).isEqualTo(405);

            var options =
                    client.send("OPTIONS /health HTTP/1.1\r\nHost: localhost\r\n\r\n").response();
            assertThat(options.status()).isEqualTo(204);
            assertThat(options.header("Allow")).isEqualTo("GET");
            assertThat(options.header("Access-Control-Allow-Origin")).isEmpty();
        }
    }

    @Test
    void respondsToHeadWithoutBody() throws Exception {
        try (var client = SERVER.raw()) {
            client.send("HEAD /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");

            assertThat(client.line()).startsWith("HTTP/1.1 200");
            var rest = new String(client.socket.getInputStream().readAllBytes());
            assertThat(rest).contains("Content-Length: 15").endsWith("\r\n\r\n");
        }
    }

    @Test
    void decodesPathAndQueryOnce() throws Exception {
        assertThat(SERVER.get("/api/items/a%2Fb%2520?q=x%26y%2B+z&q=2").body())
                .isEqualTo(json(new Echo("a/b%20", "x&y+ z")));
    }

    @Test
    void rejectsInvalidUtf8InQuery() throws Exception {
        assertThat(SERVER.get("/api/items/a?q=%ff").status()).isEqualTo(400);
        try (var client = SERVER.raw()) {
            client.send(
                    "GET /api/items/a?q=% HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "
                            + TestServer.KEY
                            + "\r\n\r\n");
            assertThat(client.response().status()).isEqualTo(400);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "../../etc/passwd",
                "%2e%2e/%2e%2e/etc/passwd",
                "..%2f..%2fetc%2fpasswd",
                "a/%2e%2e/b",
                "..;/x",
                "a//b",
                "%5c..%5c",
            })
    void passesTraversalToEndpointUnchanged(String path) throws Exception {
        try (var client = SERVER.raw()) {
            var response =
                    client.send(
                                    "GET /api/files/%s HTTP/1.1\r\nHost: localhost\r\nX-Tail: 1\r\nAuthorization: Bearer %s\r\n\r\n"
                                            .formatted(path, TestServer.KEY))
                            .response();

            var plain = path.replace("%2e", ".").replace("%2f", "/").replace("%5c", "\\");
            assertThat(response.body()).isEqualTo(json(new Echo(plain, "(none)")));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"/api/items/%00", "/api/items/%zz", "/api/items/%ff", "/api/items/%u0041"})
    void rejectsInvalidPathsWithApiError(String path) throws Exception {
        try (var client = SERVER.raw()) {
            var response =
                    client.send("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n").response();

            assertThat(response.status()).isEqualTo(400);
            assertThat(response.body()).contains("\"code\":\"VALIDATION_FAILED\"");
        }
    }

    @Test
    void logsInternalErrorsWithoutRevealingThem() throws Exception {
        var logged = new ArrayList<LogRecord>();
        var logger = Logger.getLogger(ErrorResponses.class.getName());
        var handler = collect(logged);
        logger.addHandler(handler);
        logger.setUseParentHandlers(false);

        var failed = SERVER.get("/api/bug?secret=1");
        var silent = SERVER.get("/api/silent");

        logger.setUseParentHandlers(true);
        logger.removeHandler(handler);
        assertThat(failed.status()).isEqualTo(500);
        assertThat(failed.body()).doesNotContain("secret").contains("\"code\":\"INTERNAL\"");
        assertThat(silent.status()).isEqualTo(500);
        assertThat(logged)
                .extracting(LogRecord::getMessage)
                .first()
                .isEqualTo("GET /api/bug failed");
        assertThat(logged.getFirst().getThrown()).hasMessage("secret detail");
    }

    private static Handler collect(List<LogRecord> records) {
        return new Handler() {
            @Override
            public void publish(LogRecord entry) {
                records.add(entry);
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
    }

    @Test
    void namesSessionInErrorBody() throws Exception {
        assertThat(SERVER.get("/api/known").body())
                .isEqualTo(
                        "{\"error\":\"A turn is running\",\"message\":\"A turn is running\",\"code\":\"SESSION_BUSY\",\"statusCode\":409,\"sessionId\":\"%s\"}"
                                .formatted(SESSION));
    }

    @Test
    void streamsBytes() throws Exception {
        assertThat(SERVER.get("/api/bytes").body()).isEqualTo("\u0001\u0002\u0003");
    }

    @Test
    void abortsResponseThatFailsMidway() throws Exception {
        var logger = Logger.getLogger(ErrorResponses.class.getName());
        logger.setUseParentHandlers(false);
        try (var client = SERVER.raw()) {
            client.send(
                    "GET /api/half HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n\r\n"
                            .formatted(TestServer.KEY));

            assertThat(new String(client.socket.getInputStream().readAllBytes()))
                    .contains("half")
                    .doesNotEndWith("0\r\n\r\n");
        } finally {
            logger.setUseParentHandlers(true);
        }
    }

    @Test
    void respondsToPipelinedRequestsInOrder() throws Exception {
        try (var client = SERVER.raw()) {
            var request =
                    "GET /api/items/%d HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "
                            + TestServer.KEY
                            + "\r\n\r\n";
            client.send(request.formatted(1) + request.formatted(2) + request.formatted(3));

            for (int i = 1; i <= 3; i++) {
                assertThat(client.response().body()).contains("\"value\":\"" + i + "\"");
            }
            client.send("GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
            assertThat(client.response().status()).isEqualTo(200);
            assertThat(client.atEnd()).isTrue();
        }
    }

    @Test
    void rejectsTooLargeHeaders() throws Exception {
        try (var client = SERVER.raw()) {
            var response =
                    client.send(
                                    "GET /health HTTP/1.1\r\nHost: localhost\r\nX-Big: "
                                            + "a".repeat(20_000)
                                            + "\r\n\r\n")
                            .response();

            assertThat(response.status()).isEqualTo(431);
            assertThat(response.body()).contains("exceed the limit of 16384 bytes");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "nonsense\r\n\r\n",
                "GET /health HTTP/1.1\r\n\r\n",
                "GET /health HTTP/1.1\r\nHost: localhost\r\nContent-Length: x\r\n\r\n",
                "POST /health HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
                "GET /health HTTP/1.1\r\nHost: localhost\r\nHost: evil\r\n\r\n",
                "GET /health HTTP/1.1\r\nHost: localhost\r\nBad Name: x\r\n\r\n",
                "GET /health/a%00b HTTP/1.1\r\nHost: localhost\r\n\r\n",
            })
    void rejectsMalformedHttpWithApiErrorAndClosesConnection(String request) throws Exception {
        try (var client = SERVER.raw()) {
            var response = client.send(request).response();

            assertThat(response.status()).isEqualTo(400);
            assertThat(response.body()).startsWith("{\"error\":\"The request is not valid HTTP");
            assertThat(response.header("Connection")).isEqualToIgnoringCase("close");
            assertThat(client.atEnd()).isTrue();
        }
    }

    private static String json(Echo echo) {
        return new String(Json.write(echo));
    }
}
