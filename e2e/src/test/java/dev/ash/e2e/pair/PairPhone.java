package dev.ash.e2e.pair;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.e2e.AshServer;
import dev.ash.e2e.gateway.DeviceClient;
import dev.ash.e2e.gateway.DeviceClient.Pairing;
import java.util.HashMap;
import java.util.Map;
import tools.jackson.databind.JsonNode;

/** A device of the user who runs a pair. */
final class PairPhone implements AutoCloseable {
    private static final String[] CAPABILITIES = {"questions_v1", "approvals_v1", "history_v1"};

    private final Pairing pairing;
    private final DeviceClient client;
    final JsonNode ack;

    private PairPhone(Pairing pairing) {
        this.pairing = pairing;
        this.client = DeviceClient.connect(pairing);
        this.ack = client.auth(pairing.token(), CAPABILITIES);
    }

    static PairPhone pair(AshServer server) {
        return new PairPhone(DeviceClient.pair(server));
    }

    /** Reconnects the same device to another server with another address. */
    PairPhone reconnect(AshServer server) {
        close();
        var other = DeviceClient.pair(server);
        return new PairPhone(
                new Pairing(pairing.id(), other.url(), pairing.token(), other.fingerprint()));
    }

    DeviceClient client() {
        return client;
    }

    void join(String session) {
        var ready =
                client.request(
                        "session_start",
                        Map.of("agent", "demo", "session_id", session, "resume", true));
        assertThat(ready.path("type").asString()).as("%s", ready).isEqualTo("session_ready");
    }

    /** Waits for the next question. */
    JsonNode asked(String session) {
        return await("question_required", session);
    }

    JsonNode resolved(String session) {
        return await("approval_resolved", session);
    }

    JsonNode await(String type, String session) {
        return client.await(
                        type + " of " + session,
                        frame ->
                                frame.path("type").asString().equals(type)
                                        && frame.at("/payload/session_id")
                                                .asString("")
                                                .equals(session))
                .path("payload");
    }

    /** Answers without text, which leaves the question undecided. */
    void dismiss(JsonNode asked) {
        client.send("question_response", "dismiss", reference(asked));
    }

    void answer(JsonNode asked, String text) {
        var payload = reference(asked);
        var question = asked.at("/params/questions/0/question").asString();
        payload.put("answers", Map.of(question, text));
        client.send("question_response", "answer", payload);
    }

    void approve(JsonNode asked) {
        var payload = reference(asked);
        payload.put("decision", "approved");
        client.send("approval_response", "approve", payload);
    }

    private static Map<String, Object> reference(JsonNode asked) {
        var payload = new HashMap<String, Object>();
        payload.put("session_id", asked.path("session_id").asString());
        payload.put("tool_call_id", asked.path("tool_call_id").asString());
        return payload;
    }

    void say(String session, String text) {
        client.send(
                "message",
                "say-" + text.hashCode(),
                Map.of("session_id", session, "content", text, "role", "user"));
    }

    JsonNode await(String type) {
        return client.await(type).path("payload");
    }

    @Override
    public void close() {
        client.close();
    }
}
