package dev.ash.sdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.json.RawJson;
import dev.ash.protocol.rest.AgentApi;
import dev.ash.protocol.rest.AshStreamEvent;
import dev.ash.protocol.rest.SessionApi;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class AshClientTest {
    private static final String SESSION =
            "{\"session\":{\"id\":\"s1\",\"agentName\":\"hello\",\"status\":\"active\",\"runnerId\":null}}";

    private static AshApiException error(int status, String body) throws IOException {
        try (var server = FakeServer.responding(status, body)) {
            server.client().sessions().get("s1");
            throw new AssertionError("expected an error");
        } catch (AshApiException e) {
            return e;
        }
    }

    @Test
    void readsMessageFromErrorField() throws IOException {
        var error = error(404, "{\"error\":\"Session not found\",\"statusCode\":404}");

        assertThat(error.status()).isEqualTo(404);
        assertThat(error.getMessage()).isEqualTo("Session not found");
        assertThat(error.code()).isEmpty();
    }

    @Test
    void readsMessageFromMessageField() throws IOException {
        var error =
                error(
                        400,
                        "{\"statusCode\":400,\"code\":\"FST_ERR_VALIDATION\",\"error\":\"Bad Request\",\"message\":\"params/id must match\"}");

        assertThat(error.getMessage()).isEqualTo("params/id must match");
        assertThat(error.code()).contains("FST_ERR_VALIDATION");
    }

    @Test
    void readsUnknownRouteError() throws IOException {
        var error =
                error(
                        404,
                        "{\"message\":\"Route GET:/api/nope not found\",\"error\":\"Not Found\",\"statusCode\":404}");

        assertThat(error.getMessage()).isEqualTo("Route GET:/api/nope not found");
    }

    @Test
    void readsErrorCodeAndSession() throws IOException {
        var error =
                error(
                        502,
                        "{\"error\":\"no\",\"message\":\"no\",\"code\":\"SANDBOX_FAILED\",\"statusCode\":502,\"sessionId\":\"s9\"}");

        assertThat(error.is(ErrorCode.SANDBOX_FAILED)).isTrue();
        assertThat(error.is(ErrorCode.INTERNAL)).isFalse();
        assertThat(error.sessionId()).contains("s9");
    }

    @Test
    void readsErrorsOfProxies() throws IOException {
        var error = error(502, "<html><body><h1>Bad\nGateway</h1></body></html>");

        assertThat(error.getMessage())
                .isEqualTo(
                        "The server responded with 502 Word, not in the format of Ash: Bad Gateway");
        assertThat(error(500, "").getMessage()).contains("no error message");
        assertThat(error(500, "{\"error\":7}").getMessage()).contains("no error message");
    }

    @Test
    void doesNotFollowRedirects() throws IOException {
        assertThat(error(302, "").status()).isEqualTo(302);
    }

    @Test
    void reportsUnexpectedResponseFormats() throws IOException {
        try (var server = FakeServer.responding(200, "<html>welcome</html>")) {
            assertThatThrownBy(() -> server.client().health())
                    .isInstanceOf(AshApiException.class)
                    .hasMessageContaining("check that it is an Ash server");
            assertThatThrownBy(() -> server.client().sessions().send("s1", "hi"))
                    .isInstanceOf(AshApiException.class)
                    .hasMessageContaining("without an event stream");
        }
    }

    @Test
    void streamsEventsOfTurn() throws IOException {
        var message = "{\"type\":\"assistant\",  \"message\":{\"content\":\"h\\u00e9 漢\"}}";
        try (var server =
                FakeServer.sending(
                        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
                                + "event: session_start\ndata: {\"sessionId\":\"s1\"}\n\n"
                                + ": heartbeat\n\n"
                                + "event: message\ndata: "
                                + message
                                + "\nid: 3\n\n"
                                + "event: done\ndata: {\"sessionId\":\"s1\"}\nid: 4\n\n")) {
            var events = new ArrayList<AshStreamEvent>();
            long lastId;
            try (var stream = server.client().sessions().send("s1", "he\"llo")) {
                stream.forEach(events::add);
                lastId = stream.lastId();
            }

            assertThat(events)
                    .containsExactly(
                            new AshStreamEvent.SessionStart("s1", ""),
                            new AshStreamEvent.Message(RawJson.of(message), 3),
                            new AshStreamEvent.Done("s1", 4));
            assertThat(lastId).isEqualTo(4);
            var request = server.requests().getFirst();
            assertThat(request.line()).isEqualTo("POST /api/sessions/s1/messages HTTP/1.1");
            assertThat(request.body())
                    .isEqualTo("{\"content\":\"he\\\"llo\",\"includePartialMessages\":false}");
        }
    }

    @Test
    void reportsResumePositionOfInterruptedStream() throws IOException {
        var frame = "event: message\ndata: 1\nid: 7\n\n";
        try (var server =
                FakeServer.sending(
                        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
                                + Integer.toHexString(frame.length())
                                + "\r\n"
                                + frame
                                + "\r\n")) {
            try (var stream = server.client().sessions().stream("s1", 5)) {
                assertThat(stream.next()).isEqualTo(new AshStreamEvent.Message(RawJson.of("1"), 7));
                assertThatThrownBy(stream::next)
                        .isInstanceOf(ConnectionLostException.class)
                        .hasMessageContaining("after event 7");
            }
            var request = server.requests().getFirst();
            assertThat(request.line()).isEqualTo("GET /api/sessions/s1/stream?after=5 HTTP/1.1");
            assertThat(request.headers()).contains("Last-Event-ID: 5");
        }
    }

    @Test
    void usesThePathOfEachSessionEndpoint() throws IOException {
        try (var server = FakeServer.responding(200, SESSION)) {
            var sessions = server.client().sessions();

            sessions.create("hello");
            sessions.get("s1");
            sessions.pause("s1");
            sessions.stop("s1");
            sessions.resume("s1");
            sessions.end("s1");
            sessions.interrupt("s1");
            sessions.updateConfig(
                    "s1",
                    new SessionApi.UpdateConfig(
                            "m", null, null, null, null, null, null, null, null));
            sessions.list(new SessionFilter("a b", "active", 5, 10));
            sessions.messages("s1", 2, null);
            sessions.events("s1", 0, 10, "text");
            sessions.logs("s1", -1);
            sessions.files("s1");
            sessions.readFile("s1", "dir/ü .txt");
            sessions.downloadFile("s1", "a");
            sessions.deleteFile("s1", "a");
            sessions.writeFiles("s1", new SessionApi.WriteFiles(List.of(), null));
            sessions.downloadWorkspace("s1");
            sessions.uploadWorkspace("s1", new byte[] {1, 2});
            sessions.exec("s1", "ls", Duration.ofSeconds(2));

            assertThat(server.requests())
                    .extracting(request -> request.line().replace(" HTTP/1.1", ""))
                    .containsExactly(
                            "POST /api/sessions",
                            "GET /api/sessions/s1",
                            "POST /api/sessions/s1/pause",
                            "POST /api/sessions/s1/stop",
                            "POST /api/sessions/s1/resume",
                            "DELETE /api/sessions/s1",
                            "POST /api/sessions/s1/interrupt",
                            "PATCH /api/sessions/s1/config",
                            "GET /api/sessions?agent=a+b&status=active&limit=5&offset=10",
                            "GET /api/sessions/s1/messages?after=2",
                            "GET /api/sessions/s1/events?after=0&limit=10&type=text",
                            "GET /api/sessions/s1/logs?after=-1",
                            "GET /api/sessions/s1/files",
                            "GET /api/sessions/s1/files/dir/%C3%BC%20.txt?format=json",
                            "GET /api/sessions/s1/files/a",
                            "DELETE /api/sessions/s1/files/a",
                            "POST /api/sessions/s1/files",
                            "GET /api/sessions/s1/workspace",
                            "POST /api/sessions/s1/workspace",
                            "POST /api/sessions/s1/exec");
            assertThat(server.requests().getLast().body())
                    .isEqualTo("{\"command\":\"ls\",\"timeout\":2000}");
        }
    }

    @Test
    void usesThePathOfEachAgentEndpoint() throws IOException {
        var answer = "{\"agent\":{\"name\":\"a\",\"version\":3},\"config\":{ \"k\": [1, 2] }}";
        try (var server = FakeServer.responding(200, answer)) {
            var agents = server.client().agents();

            assertThat(agents.get("a").version()).isEqualTo(3);
            assertThat(agents.config("a")).isEqualTo(RawJson.of("{ \"k\": [1, 2] }"));
            agents.updateConfig("a", RawJson.of("{\"k\":1}"));
            agents.update("a", new AgentApi.UpdateAgent(null, RawJson.of("{\"z\":0}")));
            agents.list();
            agents.files("a");
            agents.readFile("a", "CLAUDE.md");
            agents.downloadFile("a", "CLAUDE.md");
            agents.writeFiles("a", List.of(new AgentApi.FileUpload("x", "eA==", null, true)));
            agents.deleteFile("a", "x");
            agents.delete("a");

            assertThat(server.requests())
                    .extracting(
                            request -> request.line().replace(" HTTP/1.1", " ") + request.body())
                    .containsExactly(
                            "GET /api/agents/a ",
                            "GET /api/agents/a/config ",
                            "PATCH /api/agents/a/config {\"k\":1}",
                            "PATCH /api/agents/a {\"config\":{\"z\":0}}",
                            "GET /api/agents ",
                            "GET /api/agents/a/files ",
                            "GET /api/agents/a/files/CLAUDE.md?format=json ",
                            "GET /api/agents/a/files/CLAUDE.md?format=raw ",
                            "POST /api/agents/a/files {\"files\":[{\"path\":\"x\",\"content\":\"eA==\",\"executable\":true}]}",
                            "DELETE /api/agents/a/files/x ",
                            "DELETE /api/agents/a ");
        }
    }

    @Test
    void encodesNamesAsOnePathSegment() throws IOException {
        try (var server = FakeServer.responding(200, "{}")) {
            var agents = server.client().agents();
            agents.get("a/../b?x=\r\nHost: evil");

            assertThat(server.requests().getFirst().line())
                    .isEqualTo("GET /api/agents/a%2F..%2Fb%3Fx%3D%0D%0AHost%3A%20evil HTTP/1.1");
            assertThatThrownBy(() -> agents.get("..")).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> agents.readFile("a", "x/../y"))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void rejectsInvalidUrlsAndKeys() {
        assertThatThrownBy(() -> new AshClient("localhost:4100", null))
                .hasMessageContaining("http://localhost:4100");
        assertThatThrownBy(() -> new AshClient("http://a b", null))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new AshClient("http://localhost", "a\r\nX: y"))
                .hasMessageContaining("API key");
    }

    @Test
    void keepsThePathOfTheServerUrl() throws IOException {
        try (var server = FakeServer.responding(200, "{}")) {
            new AshClient(server.url() + "/ash/", null).health();

            assertThat(server.requests().getFirst().line()).isEqualTo("GET /ash/health HTTP/1.1");
            assertThat(server.requests().getFirst().headers())
                    .noneMatch(header -> header.startsWith("Authorization"));
        }
    }

    @Test
    void readsEventsFromAnyStream() {
        var text = "event: done\ndata: {\"sessionId\":\"s\"}\n\n";
        var in = new java.io.ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));

        assertThat(EventStream.parseSseStream(in)).containsExactly(new AshStreamEvent.Done("s", 0));
    }
}
