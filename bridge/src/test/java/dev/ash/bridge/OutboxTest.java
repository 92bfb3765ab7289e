package dev.ash.bridge;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.protocol.bridge.BridgeEvent;
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

class OutboxTest {
    private final Outbox outbox = new Outbox();

    @Test
    void blocksSendersWhenFull() throws InterruptedException {
        var sent = new CountDownLatch(1);
        var large = new BridgeEvent.Message(RawJson.string("x".repeat(5_000_000)));
        outbox.send(null, large);
        outbox.send(null, large);
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

        var connection = connection();
        outbox.connect(connection);
        assertThat(outbox.take(connection)).hasSize(1);

        sent.await();
    }

    @Test
    void acceptsLineLargerThanLimit() {
        outbox.send(null, new BridgeEvent.Message(RawJson.string("x".repeat(9_000_000))));
        var connection = connection();
        outbox.connect(connection);

        assertThat(outbox.take(connection)).hasSize(1);
    }

    @Test
    void doesNotBlockAfterClose() {
        var large = new BridgeEvent.Message(RawJson.string("x".repeat(9_000_000)));
        outbox.send(null, large);
        outbox.close();

        outbox.send(null, large);

        var connection = connection();
        outbox.connect(connection);
        assertThat(outbox.take(connection)).hasSize(1);
        assertThat(outbox.take(connection)).isEmpty();
    }

    /**
     * Connections that are opened, fail and replace each other receive every event in order
     * altogether; only a batch whose write failed is sent twice.
     */
    @Property(tries = 300)
    void deliversEveryEventInOrder(
            @ForAll @Size(max = 60) List<@IntRange(min = 0, max = 4) Integer> actions) {
        var simulation = new Simulation();
        for (int action : actions) {
            switch (action) {
                case 0 -> simulation.send();
                case 1 -> simulation.reconnect();
                case 2 -> simulation.fail();
                default -> simulation.take();
            }
        }
        simulation.finish();
        assertThat(simulation.delivered)
                .containsExactlyElementsOf(
                        LongStream.rangeClosed(1, simulation.sent).boxed().toList());
    }

    private static final class Simulation {
        private final Outbox outbox = new Outbox();
        private final List<Long> delivered = new ArrayList<>();
        private long sent;
        private Connection current = connection();
        private Connection writer;
        private List<Long> inFlight = List.of();

        Simulation() {
            outbox.connect(current);
        }

        void send() {
            outbox.send("t", new BridgeEvent.Done("s"));
            sent++;
        }

        void reconnect() {
            current = connection();
            outbox.connect(current);
        }

        void fail() {
            if (writer != null) {
                outbox.returnUnwritten(writer);
                writer = null;
                inFlight = List.of();
            }
        }

        void take() {
            if (writer != null && writer != current) {
                recordDelivery(); // the replaced connection had finished writing
                assertThat(outbox.take(writer)).isEmpty();
                writer = null;
            }
            if (delivered.size() + inFlight.size() < sent) {
                recordDelivery();
                inFlight = outbox.take(current).stream().map(Simulation::number).toList();
                writer = current;
            }
        }

        void finish() {
            while (delivered.size() + inFlight.size() < sent) {
                take();
            }
            recordDelivery();
        }

        private void recordDelivery() {
            delivered.addAll(inFlight);
            inFlight = List.of();
        }

        private static long number(RawJson line) {
            try {
                return BridgeProtocol.decodeEvent(line).n();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private static Connection connection() {
        try {
            return new Connection(SocketChannel.open(StandardProtocolFamily.UNIX));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
