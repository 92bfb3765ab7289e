package dev.ash.bridge;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.protocol.bridge.BridgeEvent;
import dev.ash.protocol.bridge.BridgeEvent.Attached;
import dev.ash.protocol.bridge.BridgeProtocol;
import dev.ash.protocol.json.RawJson;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.LongStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Tests the {@link Outbox} with servers that attach and acknowledge. */
class DeliveryTest {
    private static final Attached IDLE = new Attached(null, false);

    private final Outbox outbox = new Outbox();

    @Test
    void blocksSendersUntilEventsAreAcknowledged() throws InterruptedException {
        var server = connection();
        outbox.connect(server);
        outbox.attach(server, 0, IDLE);
        var large = new BridgeEvent.Message(RawJson.string("x".repeat(5_000_000)));
        outbox.send(null, large);
        outbox.send(null, large);
        assertThat(numbers(outbox.take(server))).containsExactly(0L);
        assertThat(numbers(outbox.take(server))).containsExactly(1L);
        assertThat(numbers(outbox.take(server))).containsExactly(2L);
        var sent = new CountDownLatch(1);
        var sender =
                Thread.ofPlatform()
                        .start(
                                () -> {
                                    outbox.send(null, large);
                                    sent.countDown();
                                });
        Awaitility.await()
                .atMost(Duration.ofMinutes(1))
                .until(() -> sender.getState() == Thread.State.WAITING);

        outbox.acknowledge(1);

        sent.await();
        assertThat(numbers(outbox.take(server))).containsExactly(3L);
    }

    @Test
    void resendsMissingEventsAfterReconnect() {
        var first = connection();
        outbox.connect(first);
        outbox.attach(first, 0, IDLE);
        send(3);
        outbox.take(first);
        assertThat(numbers(outbox.take(first))).containsExactly(1L, 2L, 3L);
        outbox.returnUnwritten(first);

        var second = connection();
        outbox.connect(second);
        outbox.attach(second, 1, new Attached("t", true));

        assertThat(outbox.take(second))
                .extracting(RawJson::toString)
                .containsExactly(
                        "{\"ev\":\"attached\",\"turnId\":\"t\",\"state\":\"running\",\"last\":3}");
        assertThat(numbers(outbox.take(second))).containsExactly(2L, 3L);
    }

    @Test
    void afterAttachSendsNothingBeforeFirstCommandOfNewConnection() {
        var first = connection();
        outbox.connect(first);
        outbox.attach(first, 0, IDLE);
        send(2);
        outbox.take(first);
        outbox.take(first);
        outbox.returnUnwritten(first);

        var plain = connection();
        outbox.connect(plain);
        var reader = new BlockedReader(plain);
        Awaitility.await()
                .atMost(Duration.ofMinutes(1))
                .until(() -> reader.thread.getState() == Thread.State.WAITING);
        outbox.startWithoutAttach(plain);

        assertThat(numbers(reader.lines())).containsExactly(1L, 2L);

        send(1);
        var last = connection();
        outbox.connect(last);
        outbox.returnUnwritten(plain);
        outbox.attach(last, 1, IDLE);
        assertThat(numbers(outbox.take(last))).containsExactly(0L);
        assertThat(numbers(outbox.take(last))).containsExactly(2L, 3L);
    }

    @Test
    void doesNotBlockSendersWithoutAttach() {
        var plain = connection();
        outbox.connect(plain);
        outbox.startWithoutAttach(plain);
        var large = new BridgeEvent.Message(RawJson.string("x".repeat(5_000_000)));
        for (long n = 1; n <= 5; n++) {
            outbox.send(null, large);
            assertThat(numbers(outbox.take(plain))).containsExactly(n);
        }
    }

    @Test
    void ignoresAcknowledgementsOfUnknownEvents() {
        var server = connection();
        outbox.connect(server);
        outbox.attach(server, 1000, IDLE);
        send(1);
        outbox.acknowledge(-1);
        outbox.take(server);
        assertThat(numbers(outbox.take(server))).containsExactly(1L);
        outbox.acknowledge(1000);
        send(1);
        assertThat(numbers(outbox.take(server))).containsExactly(2L);
    }

    /**
     * Simulates a server that stores the events after {@code attached} and acknowledges them. It
     * may lose its connection or crash at any point, and attaches again. It must receive every
     * event in order, and no event twice on one connection.
     */
    @Property(tries = 500)
    void deliversEveryEventExactlyOnce(
            @ForAll @Size(max = 80) List<@IntRange(min = 0, max = 7) Integer> actions) {
        var simulation = new Simulation();
        for (int action : actions) {
            switch (action) {
                case 0, 1 -> simulation.send();
                case 2 -> simulation.acknowledge();
                case 3 -> simulation.disconnect();
                case 4 -> simulation.takeOver();
                default -> simulation.read();
            }
        }
        simulation.finish();
        assertThat(simulation.stored)
                .containsExactlyElementsOf(
                        LongStream.rangeClosed(1, simulation.sent).boxed().toList());
    }

    private static final class Simulation {
        private final Outbox outbox = new Outbox();
        private final List<Long> stored = new ArrayList<>();
        private long sent;
        private Connection server = connection();
        private boolean attached;
        private long lastReceived;

        Simulation() {
            outbox.connect(server);
            attach();
        }

        private void attach() {
            lastReceived = stored.size();
            attached = false;
            outbox.attach(server, lastReceived, IDLE);
        }

        void send() {
            outbox.send("t", new BridgeEvent.Done("s"));
            sent++;
        }

        void acknowledge() {
            outbox.acknowledge(stored.size());
        }

        /** Loses the connection with the last batch. */
        void disconnect() {
            outbox.returnUnwritten(server);
            outbox.disconnect(server);
            server = connection();
            outbox.connect(server);
            attach();
        }

        /** Connects a new server while the connection of the old one is still writing. */
        void takeOver() {
            var previous = server;
            server = connection();
            outbox.connect(server);
            attach();
            assertThat(outbox.take(previous)).isEmpty();
        }

        /** Takes a batch, if there is one, and stores it. */
        void read() {
            if (attached && lastReceived == sent) {
                return;
            }
            for (long number : numbers(outbox.take(server))) {
                if (number == 0) {
                    attached = true;
                } else {
                    assertThat(attached).isTrue();
                    assertThat(number).isEqualTo(lastReceived + 1);
                    lastReceived = number;
                    stored.add(number);
                }
            }
        }

        void finish() {
            while (!attached || lastReceived < sent) {
                read();
            }
        }
    }

    private void send(int count) {
        for (int i = 0; i < count; i++) {
            outbox.send("t", new BridgeEvent.Done("s"));
        }
    }

    /** Takes one batch in a separate thread. */
    private final class BlockedReader {
        private final List<RawJson> lines = new ArrayList<>();
        private final Thread thread;

        BlockedReader(Connection connection) {
            thread = Thread.ofPlatform().start(() -> lines.addAll(outbox.take(connection)));
        }

        List<RawJson> lines() {
            try {
                thread.join();
                return lines;
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
    }

    /** Returns the numbers of the events; 0 for a line without a number. */
    private static List<Long> numbers(List<RawJson> lines) {
        var numbers = new ArrayList<Long>();
        for (var line : lines) {
            try {
                numbers.add(BridgeProtocol.decodeEvent(line).n());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return numbers;
    }

    private static Connection connection() {
        try {
            return new Connection(SocketChannel.open(StandardProtocolFamily.UNIX));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
