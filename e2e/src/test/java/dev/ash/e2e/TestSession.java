package dev.ash.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
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

    /** A session that another has become, by a fork or with another server. */
    public static TestSession of(AshServer server, String id) {
        return new TestSession(
                server, server.api().get("/api/sessions/" + id).expect(200).at("/session"));
    }

    /** The same session as another server on its data directory sees it. */
    public TestSession on(AshServer other) {
        return of(other, id());
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

    /** Follows the log from after this event to the end of the turn that is running. */
    public FrameReader follow(long after) {
        return server.api().follow(path() + "/stream?until=idle", after);
    }

    /** Waits for a question of this session that nobody has answered. */
    public JsonNode awaitApproval() {
        return awaitApprovals(1).getFirst();
    }

    public List<JsonNode> awaitApprovals(int count) {
        return await().atMost(Duration.ofMinutes(1))
                .pollInterval(Duration.ofMillis(20))
                .until(this::pendingApprovals, pending -> pending.size() == count);
    }

    public List<JsonNode> pendingApprovals() {
        return server.api()
                .get("/api/approvals?status=pending&sessionId=" + id())
                .expect(200)
                .at("/approvals")
                .valueStream()
                .toList();
    }

    public Answer decide(JsonNode approval, Map<String, ?> answer) {
        return server.api().post("/api/approvals/" + approval.path("id").asString(), answer);
    }

    public void approve(JsonNode approval) {
        decide(approval, Map.of("decision", "approved")).expect(200);
    }

    public JsonNode exec(String command) {
        return server.api().post(path() + "/exec", Map.of("command", command)).expect(200).json();
    }

    public String status() {
        return server.api().get(path()).expect(200).at("/session/status").asString();
    }

    public void awaitStatus(String wanted) {
        await().atMost(Duration.ofMinutes(1))
                .pollInterval(Duration.ofMillis(20))
                .until(this::status, wanted::equals);
    }

    public Answer post(String action) {
        return server.api().postNothing(path() + "/" + action);
    }

    /** The events of this session's life, such as how it was resumed. */
    public List<String> lifecycle() {
        return server.api()
                .get(path() + "/events?limit=1000&type=lifecycle")
                .expect(200)
                .at("/events")
                .valueStream()
                .map(event -> event.path("data").asString())
                .toList();
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

    /** A file of the workspace as it is on the host; empty where there is none. */
    public String workspaceFile(String name) {
        try {
            var file = sandbox().resolve("workspace").resolve(name);
            return Files.exists(file) ? Files.readString(file) : "";
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Makes a file from outside, which needs no server and wakes nobody. */
    public void signal(String name) {
        try {
            Files.createFile(sandbox().resolve("workspace").resolve(name));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public void awaitWorkspaceFile(String name, String text) {
        await().atMost(Duration.ofMinutes(1))
                .pollInterval(Duration.ofMillis(20))
                .until(() -> workspaceFile(name), text::equals);
    }

    /** The bridge of this session, as the host numbers it. */
    public long bridgePid() {
        return only("dev.ash.bridge.BridgeMain");
    }

    /** The CLI of this session, as the host numbers it. */
    public long enginePid() {
        return only("--input-format stream-json");
    }

    private long only(String command) {
        var found =
                processes().stream()
                        .filter(p -> p.command().contains(command))
                        .filter(p -> !p.command().matches("(?s).*(bwrap |/bin/sh -c ).*"))
                        .map(Processes.Found::pid)
                        .toList();
        assertThat(found).as(command).hasSize(1);
        return found.getFirst();
    }

    /** Everything in its sandbox; empty while it sleeps. */
    public List<Processes.Found> processes() {
        var mark = "ASH_SANDBOX_ID=" + created.path("sandboxId").asString();
        // An ordinary user cannot read the environment of the bridge, only its pid namespace.
        var namespaces = Processes.namespacesOf(mark);
        return Processes.matching(
                process -> process.mentions(mark) || namespaces.contains(process.pidNamespace()));
    }

    /** The sandbox's folder on the host. */
    public Path sandbox() {
        return server.data().resolve("sandboxes").resolve(created.path("sandboxId").asString());
    }
}
