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
 * A device that reconnects after every disconnect, resumes its sessions and repeats requests that
 * may not have arrived. It answers every question, unless it drops the connection first.
 */
final class DroppingPhone implements AutoCloseable {
    /** Prefix of the ids of prompts. */
    static final String PROMPT = "prompt-";

    private static final JsonMapper MAPPER = new JsonMapper();
    private static final Duration TIMEOUT = Duration.ofSeconds(60);
    private static final Duration RETRY = Duration.ofMillis(20);

    private final DeviceClient.Pairing pairing;
    private final Drops drops;
    private final Thread thread;

    // All guarded by this.
    private final Map<String, ReceivedEvents> received = new HashMap<>();
    private final Map<String, JsonNode> answers = new HashMap<>();
    private final Map<String, String> unsent = new LinkedHashMap<>();
    private final Map<String, Integer> answered = new HashMap<>();
    private final List<String> faults = new ArrayList<>();
    private Function<String, Map<String, ?>> decision = _ -> Map.of();
    private RawSocket socket;
    private boolean admitted;
    private boolean serverKillExpected;
    private boolean over;

    /** Decides when connections are dropped. */
    interface Drops {
        /** Returns whether to drop the connection now, and counts the drop. */
        boolean dropNow(DropPoint point);

        Drops NEVER = _ -> false;
    }

    /** Thrown to drop the connection. */
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
                // reconnect
            } catch (IOException e) {
                onConnectionLost(e);
                LockSupport.parkNanos(RETRY.toNanos());
            }
        }
    }

    private synchronized boolean isOver() {
        return over;
    }

    private synchronized void onConnectionLost(IOException e) {
        if (!serverKillExpected && !over) {
            faults.add("connection lost: " + e);
        }
    }

    private void serve(RawSocket connection) throws IOException, Dropped {
        onOpen(connection);
        try {
            dropAt(DropPoint.CONNECTED);
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
            dropAt(DropPoint.AUTH_SENT);
            while (true) {
                var message = connection.read();
                switch (message.opcode()) {
                    case RawSocket.TEXT -> onFrame(connection, MAPPER.readTree(message.text()));
                    case RawSocket.PING -> {
                        dropAt(DropPoint.PING_RECEIVED);
                        onPing(message.number());
                        connection.send(RawSocket.FIN | RawSocket.PONG, message.payload());
                        dropAt(DropPoint.PONG_SENT);
                    }
                    default -> throw new IOException("closed with " + message.status());
                }
            }
        } finally {
            onClose();
        }
    }

    private synchronized void onOpen(RawSocket connection) {
        socket = connection;
        received.values().forEach(ReceivedEvents::onConnect);
    }

    private synchronized void onClose() {
        admitted = false;
    }

    private void dropAt(DropPoint point) throws Dropped {
        if (drops.dropNow(point)) {
            throw new Dropped();
        }
    }

    private synchronized void onPing(long number) {
        if (number > 0) {
            received.values().forEach(ReceivedEvents::onPing);
        }
    }

    private void onFrame(RawSocket connection, JsonNode frame) throws IOException, Dropped {
        var type = frame.path("type").asString();
        switch (type) {
            case "connection_ack" -> {
                dropAt(DropPoint.ADMITTED);
                onAdmitted(connection);
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
            case "session_ready" -> onReady(frame);
            case "error", "connection_error" -> onError(frame);
            default -> onEvent(frame);
        }
        dropAt(DropPoint.FRAME_RECEIVED);
        if (type.equals("stream_chunk")) {
            dropAt(DropPoint.STREAMING);
        } else if (type.equals("approval_required")) {
            dropAt(DropPoint.QUESTION_RECEIVED);
            answer(connection, frame.path("payload"));
        }
    }

    private synchronized void onAdmitted(RawSocket connection) throws IOException {
        admitted = true;
        for (var text : unsent.values()) {
            connection.text(text);
        }
        notifyAll();
    }

    private synchronized void onReady(JsonNode frame) {
        received.putIfAbsent(frame.at("/payload/session_id").asString(), new ReceivedEvents());
        answers.put(frame.path("id").asString(), frame);
        notifyAll();
    }

    private synchronized void onError(JsonNode frame) {
        var id = frame.path("id").asString("");
        if (frame.at("/payload/code").asString().equals("DUPLICATE_MESSAGE")) {
            unsent.remove(id);
            return;
        }
        boolean known = frame.at("/payload/code").asString().equals("TOOL_ERROR");
        if (!known || answered.getOrDefault(id, 0) < 2) { // only a repeated answer may be rejected
            faults.add(frame.toString());
        }
    }

    private synchronized void onEvent(JsonNode frame) {
        var session = frame.at("/payload/session_id").asString();
        var events = received.get(session);
        if (events == null) {
            faults.add("frame of an unknown session: " + frame);
        } else {
            int before = events.size();
            events.onFrame(frame);
            if (events.size() > before) { // the frame belongs to the turn of the only open prompt
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
        dropAt(DropPoint.ANSWER_SENT);
    }

    /** Sets the answer for each call; an empty answer leaves the question open. */
    synchronized void setDecision(Function<String, Map<String, ?>> by) {
        decision = by;
    }

    /**
     * Starts or joins a session. Requires that no drops occur, because this request is not
     * repeated.
     */
    String start(Map<String, ?> payload) {
        var id = "start-" + System.nanoTime();
        await("a connection", () -> admitted);
        send(id, "session_start", payload);
        await("session_ready", () -> answers.containsKey(id));
        synchronized (this) {
            unsent.remove(id);
            return answers.get(id).at("/payload/session_id").asString();
        }
    }

    /**
     * Sends a request on every connection until {@link #arrived}, or until a frame of the prompt's
     * turn is received.
     */
    synchronized void send(String id, String type, Map<String, ?> payload) {
        var text = json(type, id, payload);
        unsent.put(id, text);
        if (admitted) {
            try {
                socket.text(text);
            } catch (IOException e) {
                // repeated on the next connection
            }
        }
    }

    synchronized void arrived(String id) {
        unsent.remove(id);
    }

    private static String json(String type, String id, Map<String, ?> payload) {
        return MAPPER.writeValueAsString(Map.of("type", type, "id", id, "payload", payload));
    }

    synchronized ReceivedEvents events(String session) {
        return received.get(session);
    }

    /**
     * Allows lost connections, and confirmations that the server did not store, because it is
     * killed.
     */
    synchronized void expectServerKill() {
        serverKillExpected = true;
        received.values().forEach(ReceivedEvents::discardConfirmations);
    }

    synchronized void await(String what, BooleanSupplier condition) {
        long end = System.nanoTime() + TIMEOUT.toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(faults).isEmpty();
            long left = (end - System.nanoTime()) / 1_000_000;
            assertThat(left).as("timed out waiting for %s; unsent: %s", what, unsent).isPositive();
            try {
                wait(left);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    synchronized void assertNoFaults() {
        assertThat(faults).isEmpty();
    }

    @Override
    public void close() {
        synchronized (this) {
            over = true;
            if (socket != null) {
                socket.reset();
            }
        }
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
