package dev.ash.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.ash.e2e.gateway.DeviceClient;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import tools.jackson.databind.JsonNode;

/** Tenant with one object of every kind that the API can create. */
final class Tenant implements AutoCloseable {
    /** Text in all data of this tenant; it must never be shown to another tenant. */
    final String secret = "secret-" + UUID.randomUUID();

    final AshServer server;
    final Api api;
    final ForeignId agent;
    final ForeignId credential;
    final ForeignId apiKey;
    final ForeignId device;
    final DeviceClient.Pairing phone;
    final ForeignId session;
    final ForeignId turn;
    final ForeignId askingSession;
    final String sessionKey = "key-" + UUID.randomUUID();
    private FrameReader question;
    private JsonNode approval;

    private Tenant(AshServer server, Api api, String name) {
        this.server = server;
        this.api = api;
        this.agent = new ForeignId(name + "-agent");
        deploy(agent.value(), secret);
        this.credential = id("/api/credentials", credential(secret), "/credential/id");
        this.apiKey = id("/api/api-keys", Map.of("label", secret), "/id");
        this.device = id("/api/devices", Map.of("name", secret), "/pairing/deviceId");
        this.phone = DeviceClient.pair(api, secret);
        DeviceClient.enter(phone).close(); // receives notifications from now on
        this.session = session(api.postOnce(sessionKey, "/api/sessions", sessionRequest()));
        send(
                session,
                "demo: run echo %1$s > notes.txt && git init --quiet && git config user.name me && git config user.email me@example.org && git add . && git commit --quiet --message=%1$s && echo more >> notes.txt"
                        .formatted(secret));
        this.turn =
                new ForeignId(
                        new Store(server.data())
                                .log(session.value()).stream()
                                        .map(Store.Row::turn)
                                        .filter(found -> !found.isEmpty())
                                        .findFirst()
                                        .orElseThrow());
        this.askingSession =
                session(
                        api.post(
                                "/api/sessions",
                                Map.of("agent", agent.value(), "permissionMode", "ask")));
        ask();
    }

    /** Returns the default tenant, which uses the server's initial key. */
    static Tenant first(AshServer server) {
        return new Tenant(server, new Api(server.api().base(), server.api().key()), "first");
    }

    /** Creates a second tenant. */
    static Tenant second(AshServer server) {
        return new Tenant(server, key(server, "second-tenant"), "second");
    }

    /** Creates a tenant and returns a client with its first key. */
    static Api key(AshServer server, String tenant) {
        var created = server.api().post("/api/tenants", Map.of("tenantId", tenant));
        return new Api(server.api().base(), created.expect(201).at("/apiKey/key").asString());
    }

    static Map<String, Object> credential(String label) {
        return Map.of("type", "anthropic", "key", "sk-ant-of-nobody", "label", label);
    }

    static Map<String, Object> upload(String path, String content) {
        return Map.of("path", path, "content", AshServer.base64(content));
    }

    static Map<String, Object> agent(String name, String text) {
        return Map.of(
                "name",
                name,
                "files",
                List.of(upload("CLAUDE.md", "You know " + text), upload("more/notes.txt", text)));
    }

    void deploy(String name, String text) {
        api.post("/api/agents", agent(name, text)).expect(201);
    }

    Map<String, Object> sessionRequest() {
        return Map.of("agent", agent.value());
    }

    private ForeignId id(String path, Object body, String pointer) {
        return new ForeignId(api.post(path, body).expect(201).at(pointer).asString());
    }

    private static ForeignId session(ApiResponse created) {
        return new ForeignId(created.expect(201).at("/session/id").asString());
    }

    private void send(ForeignId to, String prompt) {
        var answer =
                api.post("/api/sessions/" + to.value() + "/messages", Map.of("content", prompt));
        assertThat(Frame.names(answer.frames())).endsWith("done");
    }

    /** Starts a turn that asks for approval, and waits for the question. */
    void ask() {
        closeQuestion();
        question =
                api.stream(
                        "/api/sessions/" + askingSession.value() + "/messages",
                        Map.of("content", "demo: run echo " + secret));
        approval =
                await().atMost(Duration.ofMinutes(1))
                        .pollInterval(Duration.ofMillis(20))
                        .until(this::pending, found -> found.size() == 1)
                        .getFirst();
    }

    private List<JsonNode> pending() {
        return api.get("/api/approvals?status=pending&sessionId=" + askingSession.value())
                .expect(200)
                .at("/approvals")
                .valueStream()
                .toList();
    }

    /** Waits until the turn with the question has ended. */
    void awaitAnswered() {
        question.rest();
        closeQuestion();
    }

    ForeignId approval() {
        return new ForeignId(approval.path("id").asString());
    }

    String toolCall() {
        return approval.path("toolUseId").asString();
    }

    private void closeQuestion() {
        if (question != null) {
            question.close();
            question = null;
        }
    }

    @Override
    public void close() {
        closeQuestion();
        api.close();
    }
}
