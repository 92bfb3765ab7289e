package dev.ash.e2e;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.ash.e2e.gateway.DeviceClient;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import tools.jackson.databind.JsonNode;

/** A tenant with one of everything that the API can make. */
final class Tenant implements AutoCloseable {
    /** Stands in everything that belongs to this tenant, and must never be shown to another. */
    final String secret = "secret-" + UUID.randomUUID();

    final AshServer server;
    final Api api;
    final ForeignId agent;
    final ForeignId credential;
    final ForeignId device;
    final DeviceClient.Pairing phone;
    final ForeignId session;
    final ForeignId turn;
    final ForeignId asking;
    final String sessionKey = "key-" + UUID.randomUUID();
    private FrameReader question;
    private JsonNode approval;

    private Tenant(AshServer server, Api api, String name) {
        this.server = server;
        this.api = api;
        this.agent = new ForeignId(name + "-agent");
        deploy(agent.value(), secret);
        this.credential = id("/api/credentials", credential(secret), "/credential/id");
        this.device = id("/api/devices", Map.of("name", secret), "/pairing/deviceId");
        this.phone = DeviceClient.pair(api, secret);
        DeviceClient.enter(phone).close(); // from now on it is notified
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
        this.asking =
                session(
                        api.post(
                                "/api/sessions",
                                Map.of("agent", agent.value(), "permissionMode", "ask")));
        ask();
    }

    /** The one whose key the server made. */
    static Tenant first(AshServer server) {
        return new Tenant(server, new Api(server.api().base(), server.api().key()), "first");
    }

    /**
     * Another. There is no endpoint that makes a key, so its row is written into the database; a
     * server looks for keys that it does not know there.
     */
    static Tenant second(AshServer server) {
        return new Tenant(server, new Api(server.api().base(), keyOfSecond(server)), "second");
    }

    /** The key alone. */
    static String keyOfSecond(AshServer server) {
        var key = "key-" + UUID.randomUUID();
        new Store(server.data())
                .update(
                        "INSERT INTO api_keys VALUES ('second', 'second-tenant', ?, 'key-', 'test',"
                                + " 0)",
                        sha256(key));
        return key;
    }

    private static String sha256(String text) {
        try {
            return HexFormat.of()
                    .formatHex(MessageDigest.getInstance("SHA-256").digest(text.getBytes(UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
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

    private static ForeignId session(Answer created) {
        return new ForeignId(created.expect(201).at("/session/id").asString());
    }

    private void send(ForeignId to, String prompt) {
        var answer =
                api.post("/api/sessions/" + to.value() + "/messages", Map.of("content", prompt));
        assertThat(Frame.names(answer.frames())).endsWith("done");
    }

    /** Makes the session that asks do so, and waits for its question. */
    void ask() {
        closeQuestion();
        question =
                api.stream(
                        "/api/sessions/" + asking.value() + "/messages",
                        Map.of("content", "demo: run echo " + secret));
        approval =
                await().atMost(Duration.ofMinutes(1))
                        .pollInterval(Duration.ofMillis(20))
                        .until(this::pending, found -> found.size() == 1)
                        .getFirst();
    }

    private List<JsonNode> pending() {
        return api.get("/api/approvals?status=pending&sessionId=" + asking.value())
                .expect(200)
                .at("/approvals")
                .valueStream()
                .toList();
    }

    /** Waits until the turn that asked is over. */
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
