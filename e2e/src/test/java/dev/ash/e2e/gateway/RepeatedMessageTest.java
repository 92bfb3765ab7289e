package dev.ash.e2e.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.ash.e2e.AshExtension;
import dev.ash.e2e.FreePort;
import dev.ash.e2e.Store;
import java.io.IOException;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Tests the detection of repeated device messages, with the demo engine. */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class RepeatedMessageTest {
    private static final String QUICK = "demo: messages 1";
    private static final String SLOW = "demo: slow 100000";
    private static final long SEED = Long.getLong("ash.drops.seed", System.nanoTime());
    private static final int QUEUE = Integer.getInteger("ash.queue", 1000);
    private static final JsonMapper MAPPER = new JsonMapper();

    @RegisterExtension
    static final AshExtension ash =
            AshExtension.demo()
                    .gateway()
                    .with("ASH_GATEWAY_PORT", _ -> Integer.toString(FreePort.find()));

    private static String begin(DeviceClient client, String id) {
        client.send("session_start", id, Map.of("agent", "demo", "resume", false));
        var ready = client.await("ready", frame -> frame.path("id").asString("").equals(id));
        assertThat(ready.path("type").asString()).as("%s", ready).isEqualTo("session_ready");
        return ready.at("/payload/session_id").asString();
    }

    private static void say(DeviceClient client, String session, String id, String text) {
        client.send("message", id, Map.of("session_id", session, "content", text, "role", "user"));
    }

    /** Waits for an answer that is not the replay of a known one. */
    private static void answer(DeviceClient client, String session, Set<String> known) {
        client.await(
                "a new stream_end",
                frame ->
                        Phone.is("stream_end", session).test(frame)
                                && known.add(frame.at("/payload/message_id").asString()));
    }

    /**
     * Returns when the server has processed all that this client sent before, and its pongs for all
     * that it received before: the second heartbeat follows the pongs that precede the first one.
     */
    private static void settle(DeviceClient client) {
        for (int i = 0; i < 2; i++) {
            client.send("heartbeat_ping", "beat", Map.of());
            client.await("heartbeat_pong");
        }
    }

    private static JsonNode duplicate(DeviceClient client, String id) {
        var error =
                client.await(
                        "an error",
                        frame ->
                                frame.path("type").asString().equals("error")
                                        && frame.path("id").asString("").equals(id));
        assertThat(error.at("/payload/code").asString())
                .as("%s", error)
                .isEqualTo("DUPLICATE_MESSAGE");
        assertThat(error.at("/payload/recoverable").asBoolean(true)).isFalse();
        return error;
    }

    /** Returns the contents of the executed prompts. */
    private static List<String> prompts(String session) {
        return new Store(ash.data())
                .log(session).stream()
                        .filter(row -> row.type().equals("prompt"))
                        .map(row -> MAPPER.readTree(row.data()).path("content").asString())
                        .toList();
    }

    private static long turns(String session) {
        return new Store(ash.data())
                .log(session).stream().filter(row -> row.type().equals("done")).count();
    }

    private static void awaitTurns(String session, int count) {
        await().atMost(Duration.ofSeconds(60))
                .pollInterval(Duration.ofMillis(20))
                .until(() -> turns(session) == count);
    }

    @Test
    void runsMessagesWithIdsReusedInOtherSessionsAndConnections() {
        var pairing = ash.pair();
        var first = "";
        var known = new HashSet<String>();
        for (int connection = 1; connection <= 3; connection++) {
            try (var client = DeviceClient.connect(pairing)) {
                client.send(
                        "auth",
                        "auth-001",
                        Map.of("token", pairing.token(), "client_version", "1.0.0"));
                client.await("connection_ack");
                var session = begin(client, "req-001");
                assertThat(session).as("new session").isNotEqualTo(first);
                say(client, session, "msg-001", QUICK);
                answer(client, session, known);
                first = first.isEmpty() ? session : first;
                if (connection > 1) {
                    say(client, first, "msg-001", QUICK);
                    answer(client, first, known);
                }
                settle(client);
            }
        }
        assertThat(prompts(first)).containsExactly(QUICK, QUICK, QUICK);
    }

    @Test
    void runsBothMessagesWithTheSameIdOnOneConnection() {
        try (var client = DeviceClient.enter(ash.pair())) {
            var session = begin(client, "req-001");
            say(client, session, "msg-001", QUICK);
            say(client, session, "msg-001", QUICK);
            say(client, session, "msg-001", QUICK + " ");

            awaitTurns(session, 3);
        }
    }

    @Test
    void answersEachRepetitionOnAnotherConnection() {
        var pairing = ash.pair();
        String session;
        try (var client = DeviceClient.enter(pairing)) {
            session = begin(client, "req-001");
            say(client, session, "msg-000", SLOW);
            client.await("stream_start");
            say(client, session, "msg-001", QUICK);
            say(client, session, "msg-001", QUICK);
            settle(client);
        }
        try (var client = DeviceClient.enter(pairing, "interrupt_v1")) {
            say(client, session, "msg-001", QUICK);
            say(client, session, "msg-001", QUICK);
            assertThat(duplicate(client, "msg-001").at("/payload/session_id").asString())
                    .isEqualTo(session);
            duplicate(client, "msg-001");
            say(client, session, "msg-001", QUICK + " ");
            say(client, session, "msg-001", QUICK); // one more than before
            client.request("interrupt", Map.of("session_id", session));
            awaitTurns(session, 5);
        }
        assertThat(prompts(session)).containsExactly(SLOW, QUICK, QUICK, QUICK + " ", QUICK);
    }

    @Test
    void runsMessageAgainAfterItsRepetitionIsConfirmed() {
        var pairing = ash.pair();
        String session;
        try (var client = DeviceClient.enter(pairing)) {
            session = begin(client, "req-001");
            say(client, session, "msg-000", SLOW);
            client.await("stream_start");
            say(client, session, "msg-001", QUICK);
            settle(client);
        }
        try (var client = DeviceClient.enter(pairing)) {
            say(client, session, "msg-001", QUICK);
            duplicate(client, "msg-001");
            settle(client);
        }
        try (var client = DeviceClient.enter(pairing, "interrupt_v1")) {
            say(client, session, "msg-001", QUICK);
            settle(client);
            client.request("interrupt", Map.of("session_id", session));
            awaitTurns(session, 3);
        }
        assertThat(prompts(session)).containsExactly(SLOW, QUICK, QUICK);
    }

    @Test
    void runsMessageOnceIfItsAnswerIsReplayedBeforeTheRepetition() {
        var pairing = ash.pair();
        String session;
        try (var client = DeviceClient.enter(pairing)) {
            session = begin(client, "req-001");
            settle(client);
        }
        try (var client = DeviceClient.enter(pairing)) {
            settle(client);
            say(client, session, "msg-001", QUICK);
            client.drop();
        }
        try (var client = DeviceClient.enter(pairing)) {
            settle(client); // also confirms replayed frames
            say(client, session, "msg-001", QUICK);
            say(client, session, "msg-002", QUICK + " ");
            await().atMost(Duration.ofSeconds(60))
                    .until(() -> prompts(session).contains(QUICK + " "));
        }
        assertThat(prompts(session)).containsExactly(QUICK, QUICK + " ");
    }

    @Test
    void startsOneSessionForARequestRepeatedOnAnotherConnection() throws Exception {
        var pairing = ash.pair();
        long before = new Store(ash.data()).count("sessions");
        try (var socket = RawSocket.connect(pairing)) { // sends no pongs
            socket.text(
                    json(
                            "auth",
                            "auth-001",
                            Map.of("token", pairing.token(), "client_version", "1.0.0")));
            awaitText(socket, "connection_ack");
            var payload = Map.of("agent", "demo", "resume", false);
            socket.text(json("session_start", "req-001", payload));
            awaitText(socket, "session_ready");
        }
        try (var client = DeviceClient.enter(pairing)) {
            begin(client, "req-001");
            assertThat(new Store(ash.data()).count("sessions")).isEqualTo(before + 1);
            begin(client, "req-001");
            assertThat(new Store(ash.data()).count("sessions")).isEqualTo(before + 2);
        }
    }

    private static String json(String type, String id, Map<String, ?> payload) {
        return MAPPER.writeValueAsString(Map.of("type", type, "id", id, "payload", payload));
    }

    private static void awaitText(RawSocket socket, String type) throws IOException {
        while (true) {
            var message = socket.read();
            if (message.opcode() == RawSocket.TEXT && message.text().contains(type)) {
                return;
            }
        }
    }

    /** Distinct contents that the demo answers with one short message. */
    private static Map<String, String> queue(int count) {
        var messages = new LinkedHashMap<String, String>();
        for (int i = 0; i < count; i++) {
            var end = " ".repeat(i % 40) + "\t".repeat(i / 40);
            messages.put("msg-%04d".formatted(i), QUICK + end);
        }
        return messages;
    }

    @Test
    void runsEachQueuedMessageOnceAcrossDrops() {
        var random = new Random(SEED);
        var pairing = ash.pair();
        String session;
        try (var client = DeviceClient.enter(pairing)) {
            session = begin(client, "req-001");
            settle(client);
        }
        var messages = queue(QUEUE);
        var queue = new OfflineQueue(pairing, session, messages);
        for (int drop = 0; drop < 6; drop++) {
            queue.sendAndDrop(1 + random.nextInt(QUEUE / 2));
        }
        queue.sendAll(() -> turns(session) == messages.size());
        assertThat(queue.repeated()).as("seed %d", SEED).isPositive();
        assertThat(prompts(session))
                .as("seed %d", SEED)
                .containsExactlyInAnyOrderElementsOf(messages.values());
    }

    @Test
    void runsEachQueuedMessageOnceAcrossServerKills() {
        var random = new Random(SEED);
        var pairing = ash.pair();
        String session;
        try (var client = DeviceClient.enter(pairing)) {
            session = begin(client, "req-001");
            settle(client);
        }
        var messages = queue(60);
        var queue = new OfflineQueue(pairing, session, messages);
        for (int kill = 0; kill < 2; kill++) {
            queue.sendAnd(1 + random.nextInt(60), RepeatedMessageTest::restart);
        }
        queue.sendAll(() -> turns(session) == messages.size());
        assertThat(prompts(session))
                .as("seed %d", SEED)
                .containsExactlyInAnyOrderElementsOf(messages.values());
    }

    private static void restart() {
        try {
            ash.kill();
            ash.startAgain();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
