package dev.ash.e2e.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A connection of a device that was let in, and that every answer to is looked at. */
final class Fuzzed implements AutoCloseable {
    private static final JsonMapper MAPPER = new JsonMapper();
    private static final long PATIENCE = Duration.ofSeconds(60).toMillis();
    private static final Set<String> CODES =
            Set.of(
                    "AUTH_FAILED",
                    "SESSION_NOT_FOUND",
                    "AGENT_ERROR",
                    "TOOL_ERROR",
                    "GIT_ERROR",
                    "RATE_LIMITED",
                    "BRIDGE_ERROR");

    private final RawSocket socket;
    private final Thread reader;

    // All guarded by this.
    private final Set<String> unanswered = new HashSet<>();
    private int malformed;
    private String fault = "";
    private boolean closed;

    Fuzzed(DeviceClient.Pairing pairing) throws IOException {
        socket = RawSocket.connect(pairing);
        socket.text(auth(pairing));
        assertThat(socket.read().text()).contains("connection_ack");
        reader = Thread.ofVirtual().name("fuzzed").start(this::read);
    }

    static String auth(DeviceClient.Pairing pairing) {
        return MAPPER.writeValueAsString(
                Map.of(
                        "type",
                        "auth",
                        "id",
                        "auth",
                        "payload",
                        Map.of(
                                "token",
                                pairing.token(),
                                "client_version",
                                "1.0.0",
                                "client_capabilities",
                                List.of("questions_v1", "history_v1", "interrupt_v1"))));
    }

    private void read() {
        try {
            while (true) {
                var message = socket.read();
                switch (message.opcode()) {
                    case RawSocket.TEXT -> take(MAPPER.readTree(message.text()));
                    case RawSocket.PING ->
                            socket.send(RawSocket.FIN | RawSocket.PONG, message.payload());
                    default -> throw new IOException("closed with " + message.status());
                }
            }
        } catch (IOException e) {
            ended(e);
        }
    }

    private synchronized void ended(IOException e) {
        if (!closed) {
            fault = "the connection ended: " + e;
        }
        notifyAll();
    }

    private synchronized void take(JsonNode frame) {
        var id = frame.path("id").asString("");
        boolean asked = unanswered.remove(id);
        var code = frame.at("/payload/code").asString("");
        var sentence = frame.at("/payload/message").asString("");
        if (frame.path("type").asString().equals("error")) {
            if (!CODES.contains(code)
                    || sentence.isBlank()
                    || sentence.contains("Exception")
                    || sentence.contains("Internal server error")
                    || sentence.length() > 1000) {
                fault = "no clear error: " + frame;
            }
            if (!asked && --malformed < 0) {
                fault = "without the id of its request: " + frame;
            } else if (!asked) {
                fault = code.equals("BRIDGE_ERROR") ? fault : "not a BRIDGE_ERROR: " + frame;
            }
        } else if (!asked) {
            fault = "an answer to nothing: " + frame;
        }
        notifyAll();
    }

    /** What can only be answered by BRIDGE_ERROR. */
    void malformed(String text) throws IOException {
        synchronized (this) {
            malformed++;
        }
        socket.text(text);
    }

    /** What is answered under its id, one way or another. */
    void request(String id, String text) throws IOException {
        synchronized (this) {
            unanswered.add(id);
        }
        socket.text(text);
    }

    /** Bytes of frames that are as they should be. */
    void request(String id, byte[] frames) throws IOException {
        synchronized (this) {
            unanswered.add(id);
        }
        socket.write(frames);
    }

    synchronized void awaitAnswers() {
        long end = System.currentTimeMillis() + PATIENCE;
        while (malformed != 0 || !unanswered.isEmpty()) {
            assertThat(fault).isEmpty();
            long left = end - System.currentTimeMillis();
            assertThat(left)
                    .as("%d errors and answers to %s are due", malformed, unanswered)
                    .isPositive();
            try {
                wait(left);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
        assertThat(fault).isEmpty();
    }

    @Override
    public void close() {
        synchronized (this) {
            closed = true;
        }
        socket.cut();
        try {
            reader.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
