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

/** An authenticated device connection that checks every answer. */
final class FuzzConnection implements AutoCloseable {
    private static final JsonMapper MAPPER = new JsonMapper();
    private static final long TIMEOUT = Duration.ofSeconds(60).toMillis();
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

    FuzzConnection(DeviceClient.Pairing pairing) throws IOException {
        socket = RawSocket.connect(pairing);
        socket.text(auth(pairing));
        assertThat(socket.read().text()).contains("connection_ack");
        reader = Thread.ofVirtual().name("fuzz-connection").start(this::read);
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
                    case RawSocket.TEXT -> onFrame(MAPPER.readTree(message.text()));
                    case RawSocket.PING ->
                            socket.send(RawSocket.FIN | RawSocket.PONG, message.payload());
                    default -> throw new IOException("closed with " + message.status());
                }
            }
        } catch (IOException e) {
            onClose(e);
        }
    }

    private synchronized void onClose(IOException e) {
        if (!closed) {
            fault = "connection closed: " + e;
        }
        notifyAll();
    }

    private synchronized void onFrame(JsonNode frame) {
        var id = frame.path("id").asString("");
        boolean expected = unanswered.remove(id);
        var code = frame.at("/payload/code").asString("");
        var message = frame.at("/payload/message").asString("");
        if (frame.path("type").asString().equals("error")) {
            if (!CODES.contains(code)
                    || message.isBlank()
                    || message.contains("Exception")
                    || message.contains("Internal server error")
                    || message.length() > 1000) {
                fault = "unclear error: " + frame;
            }
            if (!expected && --malformed < 0) {
                fault = "error without the id of its request: " + frame;
            } else if (!expected) {
                fault = code.equals("BRIDGE_ERROR") ? fault : "not a BRIDGE_ERROR: " + frame;
            }
        } else if (!expected) {
            fault = "unsolicited answer: " + frame;
        }
        notifyAll();
    }

    /** Sends a text that must be answered with BRIDGE_ERROR. */
    void malformed(String text) throws IOException {
        synchronized (this) {
            malformed++;
        }
        socket.text(text);
    }

    /** Sends a request that must be answered with its id. */
    void request(String id, String text) throws IOException {
        synchronized (this) {
            unanswered.add(id);
        }
        socket.text(text);
    }

    /** Sends a request as the bytes of valid frames. */
    void request(String id, byte[] frames) throws IOException {
        synchronized (this) {
            unanswered.add(id);
        }
        socket.write(frames);
    }

    synchronized void awaitAnswers() {
        long end = System.currentTimeMillis() + TIMEOUT;
        while (malformed != 0 || !unanswered.isEmpty()) {
            assertThat(fault).isEmpty();
            long left = end - System.currentTimeMillis();
            assertThat(left)
                    .as("%d errors and answers to %s are missing", malformed, unanswered)
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
        socket.reset();
        try {
            reader.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
