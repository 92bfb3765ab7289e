package dev.ash.e2e.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.e2e.ApiResponse;
import dev.ash.e2e.AshExtension;
import dev.ash.e2e.AshServer;
import dev.ash.e2e.Resources;
import dev.ash.e2e.TestDirectory;
import dev.ash.e2e.TestSession;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A server with a gateway, scripted agents of the document and the project of the examples. */
record DeviceGateway(AshServer server, DeviceProject project) {
    static final String AUTH =
            """
            { "type": "auth", "id": "auth-001", "payload": { "token": "device-pairing-token-xxxxx", \
            "client_version": "1.0.0", "platform": "ios" }}""";

    private static final JsonMapper MAPPER = new JsonMapper();

    static AshExtension extension() {
        return AshExtension.scriptedClaude("scripted_claude.py")
                .with("OPENCODE_EXECUTABLE", script("opencode", "scripted_acp.py"))
                .with("GOOSE_EXECUTABLE", script("goose", "scripted_acp.py"))
                .with("AIDER_EXECUTABLE", script("aider", "standin_aider.sh"))
                .with("OPENAI_API_KEY", "sk-of-nobody")
                .gateway()
                .projectRoots();
    }

    private static Function<TestDirectory, String> script(String name, String resource) {
        return directory ->
                directory.program(name, Resources.text("engines/" + resource)).toString();
    }

    static DeviceGateway of(AshExtension ash) {
        return of(ash, "project");
    }

    /** Creates a project with this name, which no other test may use. */
    static DeviceGateway of(AshExtension ash, String name) {
        return new DeviceGateway(ash.server(), DeviceProject.make(ash.projects().resolve(name)));
    }

    /** The content of the QR code, and the id of the device. */
    record Pairing(String id, String url, String token) {
        String auth() {
            return AUTH.replace("device-pairing-token-xxxxx", token);
        }

        /** Connects and authenticates. */
        DeviceSocket connect() {
            var socket = DeviceSocket.open(url);
            var ack = socket.ask(auth());
            assertThat(ack.path("type").asString()).as("%s", ack).isEqualTo("connection_ack");
            return socket;
        }
    }

    Pairing pair() {
        return pair("phone");
    }

    Pairing pair(String name) {
        var answer = server.api().post("/api/devices", Map.of("name", name)).expect(201);
        return new Pairing(
                answer.at("/pairing/deviceId").asString(),
                answer.at("/pairing/url").asString(),
                answer.at("/pairing/token").asString());
    }

    /** Pairs a new device. */
    DeviceSocket connect() {
        return pair().connect();
    }

    /** Returns the document's request with this project. */
    String sessionStart() {
        return """
               { "type": "session_start", "id": "req-001", "payload": { "agent": "claude-code", \
               "session_id": null, "working_directory": "/home/user/project", "resume": false }}"""
                .replace("/home/user/project", project.path().toString());
    }

    /** Starts a session in the project and returns its id. */
    String startSession(DeviceSocket device) {
        var ready = device.ask(sessionStart());
        assertThat(ready.path("type").asString()).as("%s", ready).isEqualTo("session_ready");
        return ready.at("/payload/session_id").asString();
    }

    /** Joins an existing session. */
    static JsonNode join(DeviceSocket device, String session) {
        return device.ask(
                """
                { "type": "session_start", "id": "req-002", "payload": { "agent": "claude-code", \
                "session_id": "sess-abc123", "working_directory": null, "resume": true }}"""
                        .replace("sess-abc123", session));
    }

    static String message(String session, String content) {
        return """
               { "type": "message", "id": "msg-001", "payload": { "session_id": "%s", \
               "content": %s, "role": "user" }}"""
                .formatted(session, MAPPER.writeValueAsString(content));
    }

    static String tool(String name, Map<String, ?> input) {
        return "TOOL " + MAPPER.writeValueAsString(Map.of("name", name, "input", input));
    }

    /** Returns the document's answer to an approval request. */
    static String decision(JsonNode asked, String decision, String modifications) {
        return """
               { "type": "approval_response", "id": "tool-001", "payload": { \
               "session_id": "%s", "tool_call_id": "%s", "decision": "%s", "modifications": %s }}"""
                .formatted(
                        asked.at("/payload/session_id").asString(),
                        asked.at("/payload/tool_call_id").asString(),
                        decision,
                        modifications);
    }

    /** Sends a hook event to {@code POST /hooks/event}. */
    ApiResponse hook(String body) {
        try {
            var token = Files.readString(server.data().resolve("hook-token")).strip();
            return server.api()
                    .exchange(
                            "POST",
                            "/hooks/event",
                            body,
                            request -> request.setHeader("Authorization", "Bearer " + token));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Starts a terminal session and returns its id. */
    String startTerminal() {
        var session = UUID.randomUUID().toString();
        hook(hookEvent(
                        "SessionStart",
                        session,
                        "{ \"working_directory\": \"/home/user/project\" }"))
                .expect(200);
        return session;
    }

    static String hookEvent(String type, String session, String payload) {
        return """
               { "event_type": "%s", "session_id": "%s", "timestamp": "2026-03-16T10:32:00Z", \
               "payload": %s }"""
                .formatted(type, session, payload);
    }

    /** Returns the executed messages of a session from the REST API. */
    List<String> prompts(String session) {
        return TestSession.of(server, session).messages().stream()
                .filter(message -> message.path("role").asString().equals("user"))
                .map(message -> json(message.path("content").asString()).path("content"))
                .filter(JsonNode::isString)
                .map(JsonNode::asString)
                .toList();
    }

    static boolean isFinalEnd(JsonNode frame, String session) {
        return DeviceSocket.is("stream_end", session).test(frame)
                && !frame.at("/payload/finish_reason").asString().equals("tool_call");
    }

    static JsonNode json(String text) {
        return MAPPER.readTree(text);
    }
}
