package dev.ash.e2e.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A device that comes back whenever its connection is gone, goes on where it was, and sends again
 * what may not have arrived. It answers every question, unless it drops before.
 */
final class DroppingPhone implements AutoCloseable {
    /** How the ids of prompts begin. */
    static final String PROMPT = "prompt-";

    private static final JsonMapper MAPPER = new JsonMapper();
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration RETRY = Duration.ofMillis(20);

    private final DeviceClient.Pairing pairing;
    private final Drops drops;
    private final Thread thread;

    // All guarded by this.
    private final Map<String, Story> stories = new HashMap<>();
    private final Map<String, JsonNode> answers = new HashMap<>();
    private final Map<String, String> unsent = new LinkedHashMap<>();
    private final Map<String, Integer> answered = new HashMap<>();
    private final List<String> faults = new ArrayList<>();
    private Function<String, Map<String, ?>> decision = _ -> Map.of();
    private RawSocket socket;
    private boolean in;
    private boolean serverMayDie;
    private boolean over;

    /** Where and when connections are dropped. */
    interface Drops {
        /** Whether it drops now, which it is then counted for. */
        boolean now(Moment moment);

        Drops NEVER = _ -> false;
    }

    /** The connection is gone because the phone dropped it. */
    private static final class Dropped extends Exception {
        private static final long serialVersionUID = 1L;
    }

    DroppingPhone(DeviceClient.Pairing pairing, Drops drops) {
        this.pairing = pairing;
        this.drops = drops;
        this.thread = Thread.ofVirtual().name("phone").start(this::run);
    }

    private void run() {
        while (!isOver()) {
            try (var connection = RawSocket.connect(pairing)) {
                serve(connection);
            } catch (Dropped e) {
                // and back again
            } catch (IOException e) {
                broke(e);
                LockSupport.parkNanos(RETRY.toNanos());
            }
        }
    }

    private synchronized boolean isOver() {
        return over;
    }

    private synchronized void broke(IOException e) {
        if (!serverMayDie && !over) {
            faults.add("the connection broke: " + e);
        }
    }

    private void serve(RawSocket connection) throws IOException, Dropped {
        opened(connection);
        try {
            drop(Moment.CONNECTED);
            connection.text(
                    json(
                            "auth",
                            "auth",
                            Map.of(
                                    "token",
                                    pairing.token(),
                                    "client_version",
                                    "1.0.0",
                                    "client_capabilities",
                                    List.of("usage_v1"))));
            drop(Moment.AUTH_SENT);
            while (true) {
                var message = connection.read();
                switch (message.opcode()) {
                    case RawSocket.TEXT -> take(connection, MAPPER.readTree(message.text()));
                    case RawSocket.PING -> {
                        drop(Moment.PINGED);
                        pinged(message.number());
                        connection.send(RawSocket.FIN | RawSocket.PONG, message.payload());
                        drop(Moment.CONFIRMED);
                    }
                    default -> throw new IOException("closed with " + message.status());
                }
            }
        } finally {
            closed();
        }
    }

    private synchronized void opened(RawSocket connection) {
        socket = connection;
        stories.values().forEach(Story::connected);
    }

    private synchronized void closed() {
        in = false;
    }

    private void drop(Moment moment) throws Dropped {
        if (drops.now(moment)) {
            throw new Dropped();
        }
    }

    private synchronized void pinged(long number) {
        if (number > 0) {
            stories.values().forEach(Story::pinged);
        }
    }

    private void take(RawSocket connection, JsonNode frame) throws IOException, Dropped {
        var type = frame.path("type").asString();
        switch (type) {
            case "connection_ack" -> {
                drop(Moment.LET_IN);
                letIn(connection);
            }
            case "session_started" -> {}
            case "notification" ->
                    connection.text(
                            json(
                                    "notification_ack",
                                    "n",
                                    Map.of(
                                            "notification_ids",
                                            List.of(frame.path("id").asString()))));
            case "session_ready" -> ready(frame);
            case "error", "connection_error" -> failed(frame);
            default -> tell(frame);
        }
        drop(Moment.TOLD);
        if (type.equals("stream_chunk")) {
            drop(Moment.STREAMING);
        } else if (type.equals("approval_required")) {
            drop(Moment.ASKED);
            answer(connection, frame.path("payload"));
        }
    }

    private synchronized void letIn(RawSocket connection) throws IOException {
        in = true;
        for (var text : unsent.values()) {
            connection.text(text);
        }
        notifyAll();
    }

    private synchronized void ready(JsonNode frame) {
        stories.putIfAbsent(frame.at("/payload/session_id").asString(), new Story());
        answers.put(frame.path("id").asString(), frame);
        notifyAll();
    }

    private synchronized void failed(JsonNode frame) {
        var id = frame.path("id").asString("");
        if (frame.at("/payload/code").asString().equals("DUPLICATE_MESSAGE")) {
            unsent.remove(id);
            return;
        }
        boolean known = frame.at("/payload/code").asString().equals("TOOL_ERROR");
        if (!known || answered.getOrDefault(id, 0) < 2) { // only a second answer may come too late
            faults.add(frame.toString());
        }
    }

    private synchronized void tell(JsonNode frame) {
        var session = frame.at("/payload/session_id").asString();
        var story = stories.get(session);
        if (story == null) {
            faults.add("of no session that it follows: " + frame);
        } else {
            int before = story.size();
            story.take(frame);
            if (story.size() > before) { // of the turn of the only prompt that is open
                unsent.keySet().removeIf(id -> id.startsWith(PROMPT));
            }
        }
        notifyAll();
    }

    private void answer(RawSocket connection, JsonNode asked) throws IOException, Dropped {
        var call = asked.path("tool_call_id").asString();
        var answer = new HashMap<String, Object>();
        synchronized (this) {
            answer.putAll(decision.apply(call));
        }
        if (answer.isEmpty()) {
            return;
        }
        answer.put("session_id", asked.path("session_id").asString());
        answer.put("tool_call_id", call);
        synchronized (this) {
            answered.merge(call, 1, Integer::sum);
        }
        connection.text(json("approval_response", call, answer));
        drop(Moment.ANSWERED);
    }

    /** What it answers to a call; nothing for a question that is left open. */
    synchronized void decides(Function<String, Map<String, ?>> by) {
        decision = by;
    }

    /** Begins a session, or joins one. Not while it drops: this is no request to send twice. */
    String start(Map<String, ?> payload) {
        var id = "start-" + System.nanoTime();
        await("a connection", () -> in);
        send(id, "session_start", payload);
        await("session_ready", () -> answers.containsKey(id));
        synchronized (this) {
            unsent.remove(id);
            return answers.get(id).at("/payload/session_id").asString();
        }
    }

    /** Sent on every connection until it has {@link #arrived}, or a prompt's turn has a frame. */
    synchronized void send(String id, String type, Map<String, ?> payload) {
        var text = json(type, id, payload);
        unsent.put(id, text);
        if (in) {
            try {
                socket.text(text);
            } catch (IOException e) {
                // and so it is sent again
            }
        }
    }

    synchronized void arrived(String id) {
        unsent.remove(id);
    }

    private static String json(String type, String id, Map<String, ?> payload) {
        return MAPPER.writeValueAsString(Map.of("type", type, "id", id, "payload", payload));
    }

    synchronized Story story(String session) {
        return stories.get(session);
    }

    /** From now on the server may be killed. */
    synchronized void serverMayDie() {
        serverMayDie = true;
        stories.values().forEach(Story::confirmedNothing);
    }

    synchronized void await(String what, BooleanSupplier condition) {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(faults).isEmpty();
            long left = (end - System.nanoTime()) / 1_000_000;
            assertThat(left).as("%s did not come; it waits to send %s", what, unsent).isPositive();
            try {
                wait(left);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    synchronized void assertIsFine() {
        assertThat(faults).isEmpty();
    }

    @Override
    public void close() {
        synchronized (this) {
            over = true;
            if (socket != null) {
                socket.cut();
            }
        }
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
