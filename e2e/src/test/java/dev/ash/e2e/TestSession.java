package dev.ash.e2e;

import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;

/** A session as the tests use it. */
public final class TestSession {
    private final AshServer server;
    private final JsonNode created;

    TestSession(AshServer server, JsonNode created) {
        this.server = server;
        this.created = created;
    }

    public String id() {
        return created.path("id").asString();
    }

    /** The session as the create answered it. */
    public JsonNode created() {
        return created;
    }

    public String path() {
        return "/api/sessions/" + id();
    }

    /** Sends a prompt and reads its stream to the end. */
    public List<Frame> ask(String prompt) {
        try (var frames = send(prompt)) {
            return frames.rest();
        }
    }

    /** Sends a prompt and returns as soon as the stream is open. */
    public FrameReader send(String prompt) {
        return send(prompt, Map.of());
    }

    public FrameReader send(Object content, Map<String, ?> options) {
        var body = new HashMap<String, Object>(options);
        body.put("content", content);
        return server.api().stream(path() + "/messages", body);
    }

    public JsonNode exec(String command) {
        return server.api().post(path() + "/exec", Map.of("command", command)).expect(200).json();
    }

    public String status() {
        return server.api().get(path()).expect(200).at("/session/status").asString();
    }

    void awaitStatus(String wanted) {
        await().atMost(Duration.ofSeconds(20))
                .pollInterval(Duration.ofMillis(20))
                .until(this::status, wanted::equals);
    }

    public Answer post(String action) {
        return server.api().postNothing(path() + "/" + action);
    }

    public Answer end() {
        return server.api().delete(path());
    }

    public List<JsonNode> messages() {
        return rows("messages");
    }

    public List<JsonNode> events() {
        return rows("events");
    }

    private List<JsonNode> rows(String name) {
        return server.api()
                .get(path() + "/" + name + "?limit=1000")
                .expect(200)
                .at("/" + name)
                .valueStream()
                .toList();
    }

    /** The sandbox's folder on the host. */
    Path sandbox() {
        return server.data().resolve("sandboxes").resolve(created.path("sandboxId").asString());
    }
}
