package dev.ash.server.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.protocol.SessionId;
import dev.ash.protocol.TurnId;
import dev.ash.protocol.gateway.GatewayFrame;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.server.device.Devices;
import dev.ash.server.store.Database;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SentRequestsTest {
    private static final SessionId SESSION = SessionId.random();

    @TempDir Path directory;
    private Database database;
    private final Link link = new Link();
    private final Pings firstPings = new Pings(link::ping);
    private final Pings secondPings = new Pings(link::ping);
    private SentRequests first;
    private SentRequests second;

    private static final class Link implements DeviceLink {
        private final List<String> sent = new ArrayList<>();
        private long lastPing;

        @Override
        public void send(GatewayFrame frame) {
            sent.add(frame.type());
        }

        @Override
        public void send(String text) {}

        @Override
        public void awaitCapacity() {}

        @Override
        public void ping(long number) {
            sent.add("ping");
            lastPing = number;
        }

        @Override
        public void close(String reason) {}
    }

    @BeforeEach
    void open() {
        database = Database.open(directory.resolve("ash.db"));
        first = connection(firstPings);
        second = connection(secondPings);
    }

    @AfterEach
    void close() {
        database.close();
    }

    private SentRequests connection() {
        return connection(new Pings(link::ping));
    }

    private SentRequests connection(Pings pings) {
        var store = new Devices(database, new SecureRandom(), Clock.systemUTC()).requests();
        return new SentRequests("phone", store, link, pings, Clock.systemUTC());
    }

    private TurnId send(SentRequests connection, String id) {
        var turn = TurnId.random();
        var request = connection.message(SESSION, id, "hello", "");
        database.writer()
                .write(
                        transaction -> {
                            connection.storeWithTurn(request).run(transaction, turn, 1);
                            return true;
                        });
        return turn;
    }

    private boolean repeats(SentRequests connection, String id) {
        database.writer().write(_ -> true); // confirmations are written before this
        return connection.claim(connection.message(SESSION, id, "hello", "")).isPresent();
    }

    @Test
    void pingsAfterFirstFrameOfTurn() {
        var turn = send(first, "msg-001");

        first.answered(null);
        first.answered(TurnId.random());
        assertThat(link.sent).isEmpty();
        first.answered(turn);
        first.answered(turn);

        assertThat(link.sent).containsExactly("ping");
    }

    @Test
    void treatsMessageAsNewAfterConfirmedAnswer() {
        var turn = send(first, "msg-001");
        first.answered(turn);
        firstPings.pong(link.lastPing);
        firstPings.pong(link.lastPing);

        assertThat(repeats(second, "msg-001")).isFalse();
    }

    @Test
    void ignoresAnswersOnOtherConnections() {
        var turn = send(first, "msg-001");
        second.answered(turn);
        assertThat(link.sent).isEmpty();
        secondPings.pong(1);

        assertThat(repeats(second, "msg-001")).isTrue();
    }

    @Test
    void confirmsAnswerByPongOfLaterPing() {
        first.answered(send(first, "msg-001"));
        firstPings.send(() -> {});

        firstPings.pong(link.lastPing);

        assertThat(repeats(second, "msg-001")).isFalse();
    }

    @Test
    void keepsRequestsOfDevicesThatConfirmNothing() {
        for (int i = 0; !firstPings.isFull(); i++) {
            assertThat(i).isLessThan(10_000);
            firstPings.send(() -> {});
        }
        link.sent.clear();

        first.answered(send(first, "msg-001"));

        assertThat(link.sent).isEmpty();
        assertThat(repeats(second, "msg-001")).isTrue();
    }

    @Test
    void confirmsRepetitionByPongAfterItsAnswer() {
        var turn = send(first, "msg-001");
        assertThat(repeats(second, "msg-001")).isTrue();

        second.answer(GatewayFrame.of("error", JsonWriter.object()), turn.value());
        assertThat(link.sent).containsExactly("error", "ping");
        secondPings.pong(link.lastPing);

        assertThat(repeats(first, "msg-001")).isFalse();
        assertThat(repeats(connection(), "msg-001")).isFalse();
    }

    @Test
    void closedConnectionClaimsNoRequests() {
        var turn = send(second, "msg-001");
        first.close();
        assertThat(repeats(first, "msg-001")).as("its queue is still being executed").isTrue();

        second.answered(turn);
        secondPings.pong(link.lastPing);

        assertThat(repeats(connection(), "msg-001")).isFalse();
    }

    @Test
    void givesRepeatedStartTheKeyOfTheFirst() {
        var key = first.key(first.start("req-001", "{}"));

        assertThat(second.key(second.start("req-001", "{}"))).isEqualTo(key);
        assertThat(second.key(second.start("req-001", "{}"))).isNotEqualTo(key);
        assertThat(second.key(second.start("req-002", "{}"))).isNotEqualTo(key);
        first.failed(key);
        assertThat(connection().key(first.start("req-001", "{}"))).isNotEqualTo(key);
    }
}
