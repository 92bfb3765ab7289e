package dev.ash.e2e.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.BooleanSupplier;
import tools.jackson.databind.JsonNode;

/**
 * A client that sends messages queued while it was offline. It removes a message from its queue
 * when it receives a frame of the message's turn or the answer to a repetition, and sends the
 * remaining messages again on every connection.
 */
final class OfflineQueue {
    private static final Duration TIMEOUT = Duration.ofMinutes(4);

    private final DeviceClient.Pairing pairing;
    private final String session;
    private final Map<String, String> unsent = new LinkedHashMap<>(); // content by id
    private final Set<String> repeated = new HashSet<>();

    OfflineQueue(DeviceClient.Pairing pairing, String session, Map<String, String> messages) {
        this.pairing = pairing;
        this.session = session;
        this.unsent.putAll(messages);
    }

    /** Sends {@code count} messages on a new connection and drops it. */
    void sendAndDrop(int count) {
        sendAnd(count, () -> {});
    }

    /**
     * Sends {@code count} messages on a new connection, runs {@code end} and drops the connection.
     */
    void sendAnd(int count, Runnable end) {
        var client = connect();
        send(client, count);
        end.run();
        client.drop();
        client.rest().forEach(this::received);
        client.close();
    }

    /** Sends the remaining messages and waits until each was received and the condition holds. */
    void sendAll(BooleanSupplier done) {
        try (var client = connect()) {
            send(client, unsent.size());
            long end = System.nanoTime() + TIMEOUT.toNanos();
            while (!unsent.isEmpty() || !done.getAsBoolean()) {
                var frame = client.next(Duration.ofMillis(200));
                if (frame != null) {
                    received(frame);
                }
                assertThat(System.nanoTime()).as("unanswered: %s", unsent.keySet()).isLessThan(end);
            }
        }
    }

    /** Retries, because the device listener starts shortly after the server. */
    private DeviceClient connect() {
        return await().atMost(TIMEOUT)
                .pollInterval(Duration.ofMillis(50))
                .ignoreExceptionsInstanceOf(IllegalStateException.class)
                .until(() -> DeviceClient.enter(pairing, "history_v1"), Objects::nonNull);
    }

    private void send(DeviceClient client, int count) {
        List.copyOf(unsent.entrySet()).stream()
                .limit(count)
                .forEach(
                        message ->
                                client.send(
                                        "message",
                                        message.getKey(),
                                        Map.of(
                                                "session_id",
                                                session,
                                                "content",
                                                message.getValue(),
                                                "role",
                                                "user")));
    }

    private void received(JsonNode frame) {
        switch (frame.path("type").asString()) {
            case "message" -> unsent.values().remove(frame.at("/payload/content").asString());
            case "error" -> {
                assertThat(frame.at("/payload/code").asString())
                        .as("%s", frame)
                        .isEqualTo("DUPLICATE_MESSAGE");
                repeated.add(frame.path("id").asString());
                unsent.remove(frame.path("id").asString());
            }
            default -> {}
        }
    }

    /** Returns the number of messages that the server answered as repetitions. */
    int repeated() {
        return repeated.size();
    }
}
