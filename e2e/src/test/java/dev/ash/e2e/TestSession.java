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

/** Session on a test server, accessed through its HTTP API and its files on the host. */
public final class TestSession {
    private final AshServer server;
    private final JsonNode created;

    TestSession(AshServer server, JsonNode created) {
        this.server = server;
        this.created = created;
    }

    /** Returns a session by id, for example a fork or a session on a restarted server. */
    public static TestSession of(AshServer server, String id) {
        return new TestSession(
                server, server.api().get("/api/sessions/" + id).expect(200).at("/session"));
    }

    /** Returns the same session on another server with the same data directory. */
    public TestSession on(AshServer other) {
        return of(other, id());
    }

    public String id() {
        return created.path("id").asString();
    }

    /** Returns the session as the create response contained it. */
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

    /** Follows the log after this event until the end of the running turn. */
    public FrameReader follow(long after) {
        return server.api().follow(path() + "/stream?until=idle", after);
    }

    /** Waits for a pending approval of this session. */
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

    public ApiResponse decide(JsonNode approval, Map<String, ?> answer) {
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

    public void awaitStatus(String expected) {
        await().atMost(Duration.ofMinutes(1))
                .pollInterval(Duration.ofMillis(20))
                .until(this::status, expected::equals);
    }

    public ApiResponse post(String action) {
        return server.api().postNothing(path() + "/" + action);
    }

    /** Returns the lifecycle events of this session. */
    public List<String> lifecycle() {
        return server.api()
                .get(path() + "/events?limit=1000&type=lifecycle")
                .expect(200)
                .at("/events")
                .valueStream()
                .map(event -> event.path("data").asString())
                .toList();
    }

    public ApiResponse end() {
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

    /**
     * Returns the contents of a workspace file on the host, or an empty string if it does not
     * exist.
     */
    public String workspaceFile(String name) {
        try {
            var file = sandbox().resolve("workspace").resolve(name);
            return Files.exists(file) ? Files.readString(file) : "";
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Creates a workspace file directly on the host, without a server and without waking the
     * session.
     */
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

    /** Returns the host PID of this session's bridge. */
    public long bridgePid() {
        return pidOf("dev.ash.bridge.BridgeMain");
    }

    /** Returns the host PID of this session's CLI. */
    public long enginePid() {
        return pidOf("--input-format stream-json");
    }

    private long pidOf(String command) {
        var found =
                processes().stream()
                        .filter(p -> p.command().contains(command))
                        .filter(p -> !p.command().matches("(?s).*(bwrap |/bin/sh -c ).*"))
                        .map(Processes.Found::pid)
                        .toList();
        assertThat(found).as(command).hasSize(1);
        return found.getFirst();
    }

    /** Returns all processes in its sandbox; empty while it sleeps. */
    public List<Processes.Found> processes() {
        var marker = "ASH_SANDBOX_ID=" + created.path("sandboxId").asString();
        // An ordinary user cannot read the environment of the bridge, only its pid namespace.
        var namespaces = Processes.namespacesOf(marker);
        return Processes.matching(
                process -> process.mentions(marker) || namespaces.contains(process.pidNamespace()));
    }

    /**
     * Waits until the files of the ended session, which are removed in the background, are gone.
     */
    public void awaitRemoval() {
        await().atMost(Duration.ofMinutes(1)).until(() -> !Files.exists(sandbox()));
    }

    /** Returns the sandbox's directory on the host. */
    public Path sandbox() {
        return server.data().resolve("sandboxes").resolve(created.path("sandboxId").asString());
    }
}
