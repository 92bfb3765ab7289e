package dev.ash.e2e.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.e2e.gateway.DeviceClient.Pairing;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Predicate;
import tools.jackson.databind.JsonNode;

/** A device that checks the envelope of every frame, with methods for typical user actions. */
final class Phone implements AutoCloseable {
    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    private final DeviceClient client;
    private final Pairing pairing;
    private final JsonNode ack;

    private Phone(DeviceClient client, Pairing pairing, JsonNode ack) {
        this.client = client;
        this.pairing = pairing;
        this.ack = ack;
    }

    static Phone enter(Pairing pairing, String... capabilities) {
        var client = DeviceClient.connect(pairing);
        return new Phone(client, pairing, client.auth(pairing.token(), capabilities));
    }

    /** Authenticates on an existing connection. */
    static Phone of(DeviceClient client, Pairing pairing) {
        return new Phone(client, pairing, client.auth(pairing.token()));
    }

    /** Reconnects as the same device. */
    Phone reconnect(String... capabilities) {
        close();
        return enter(pairing, capabilities);
    }

    /** Returns the payload of connection_ack. */
    JsonNode ack() {
        return ack;
    }

    Pairing pairing() {
        return pairing;
    }

    DeviceClient client() {
        return client;
    }

    /** Checks the fields that every frame of a server has. */
    static JsonNode envelope(JsonNode frame) {
        assertThat(frame.path("type").isString()).as("%s", frame).isTrue();
        assertThat(Instant.parse(frame.path("timestamp").asString())).as("%s", frame).isNotNull();
        assertThat(frame.path("payload").isObject()).as("%s", frame).isTrue();
        return frame;
    }

    /** Sends a request and returns the payload of its answer, which must have this type. */
    JsonNode ask(String type, Object payload, String answer) {
        var frame = envelope(client.request(type, payload));
        assertThat(frame.path("type").asString()).as("%s", frame).isEqualTo(answer);
        return frame.path("payload");
    }

    /** Sends a request that fails, and returns the payload of the error with its id. */
    JsonNode assertError(String type, Object payload, String code, boolean recoverable) {
        var error = ask(type, payload, "error");
        assertThat(error.path("code").asString()).as("%s", error).isEqualTo(code);
        assertThat(error.path("recoverable").isBoolean()).as("%s", error).isTrue();
        assertThat(error.path("recoverable").asBoolean()).as("%s", error).isEqualTo(recoverable);
        assertThat(error.path("message").asString()).isNotBlank();
        return error;
    }

    JsonNode await(String type) {
        return envelope(client.await(type));
    }

    JsonNode await(String type, String session) {
        return envelope(client.await(type + " of " + session, is(type, session)));
    }

    static Predicate<JsonNode> is(String type, String session) {
        return frame ->
                frame.path("type").asString().equals(type)
                        && frame.at("/payload/session_id").asString("").equals(session);
    }

    /** Reads frames up to the first one that matches. */
    List<JsonNode> until(Predicate<JsonNode> last) {
        return until(last, frame -> {});
    }

    /** Reads frames up to the first one that matches, and passes each to {@code each}. */
    List<JsonNode> until(Predicate<JsonNode> last, Consumer<JsonNode> each) {
        var frames = new ArrayList<JsonNode>();
        long end = System.nanoTime() + TIMEOUT.toNanos();
        while (frames.isEmpty() || !last.test(frames.getLast())) {
            var frame = client.next(Duration.ofNanos(end - System.nanoTime()));
            assertThat(frame)
                    .as("timed out waiting for the last frame; received: %s", frames)
                    .isNotNull();
            frames.add(envelope(frame));
            each.accept(frame);
        }
        return frames;
    }

    String start(String agent, String directory) {
        return ask("session_start", starting(agent, directory), "session_ready")
                .path("session_id")
                .asString();
    }

    static Map<String, Object> starting(String agent, String directory) {
        var payload = new HashMap<String, Object>();
        payload.put("agent", agent);
        payload.put("session_id", null);
        payload.put("working_directory", directory);
        payload.put("resume", false);
        return payload;
    }

    static Map<String, Object> resuming(String session) {
        return Map.of("agent", "claude-code", "session_id", session, "resume", true);
    }

    void say(String session, String text, String id) {
        client.send("message", id, Map.of("session_id", session, "content", text, "role", "user"));
    }

    void say(String session, String text) {
        say(session, text, "msg-" + java.util.UUID.randomUUID());
    }

    /**
     * Sends a message and returns all frames up to the end of the turn, except {@code
     * session_started}, which can arrive at any time.
     */
    List<JsonNode> turn(String session, String text) {
        say(session, text);
        return until(frame -> isLast(frame, session)).stream()
                .filter(frame -> !frame.path("type").asString().equals("session_started"))
                .toList();
    }

    /** Returns whether the frame ends the last stream of a turn. */
    static boolean isLast(JsonNode frame, String session) {
        return is("stream_end", session).test(frame)
                && !frame.at("/payload/finish_reason").asString().equals("tool_call");
    }

    void awaitEnd(String session) {
        client.await("last stream_end", frame -> isLast(frame, session));
    }

    void decide(JsonNode asked, String decision, Map<String, ?> more) {
        var payload = new HashMap<String, Object>(more);
        payload.put("session_id", asked.at("/payload/session_id").asString());
        payload.put("tool_call_id", asked.at("/payload/tool_call_id").asString());
        payload.put("decision", decision);
        client.send("approval_response", asked.path("id").asString("resp"), payload);
    }

    void approve(JsonNode asked) {
        decide(asked, "approved", Map.of());
    }

    void approveIfAsked(JsonNode frame) {
        if (frame.path("type").asString().equals("approval_required")) {
            approve(frame);
        }
    }

    static List<JsonNode> only(String type, List<JsonNode> frames) {
        return frames.stream().filter(frame -> frame.path("type").asString().equals(type)).toList();
    }

    static List<String> types(List<JsonNode> frames) {
        return frames.stream().map(frame -> frame.path("type").asString()).toList();
    }

    /** Returns the text of the agent, without tool inputs. */
    static String text(List<JsonNode> frames) {
        var text = new StringBuilder();
        for (var frame : only("stream_chunk", frames)) {
            if (!frame.at("/payload/is_tool_use").asBoolean()) {
                text.append(frame.at("/payload/content").asString());
            }
        }
        return text.toString();
    }

    @Override
    public void close() {
        client.close();
    }
}
