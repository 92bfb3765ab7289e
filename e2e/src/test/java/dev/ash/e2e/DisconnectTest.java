package dev.ash.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/**
 * Checks that a client that reconnects with its last event id receives every event exactly once.
 */
class DisconnectTest {
    private static final int DISCONNECTS = 2_000;
    private static final int MAX_READ_BYTES = 64 * 1024;

    @Test
    void deliversEventsExactlyOnceAcrossTwoThousandDisconnects() throws Exception {
        long seed = Long.getLong("ash.seed", ThreadLocalRandom.current().nextLong());
        System.out.println("disconnects: -Dash.seed=" + seed);
        try (var ash =
                AshExtension.agentsBridge().agentWithBridge("echo", "seed_bridge.py").open()) {
            var session = ash.session("echo");
            var client = new Client(ash.api(), session.path(), new Random(seed));
            var finished = new AtomicBoolean();
            var bursts =
                    CompletableFuture.runAsync(
                            () -> {
                                while (!finished.get()) {
                                    session.ask("TRICKLE 3000 200");
                                }
                            });

            for (int i = 0; i < DISCONNECTS; i++) {
                client.readAndDisconnect();
            }
            finished.set(true);
            bursts.join();
            client.readToTheEnd();

            var log = new Store(ash.data()).frames(session.id());
            System.out.printf(
                    "%d disconnects, %d of them within a frame, %d events%n",
                    DISCONNECTS, client.tornFrames, log.size());
            assertThat(client.seen).isEqualTo(log);
            assertThat(client.tornFrames).isGreaterThan(DISCONNECTS / 4);
            assertThat(log).hasSizeGreaterThan(DISCONNECTS);
        }
    }

    private static final class Client {
        private final Api api;
        private final String session;
        private final Random random;
        private final List<Frame> seen = new ArrayList<>();
        private int tornFrames;

        Client(Api api, String session, Random random) {
            this.api = api;
            this.session = session;
            this.random = random;
        }

        void readAndDisconnect() throws IOException {
            // Log-uniform distribution, from one byte to several hundred frames.
            int bytes = (int) Math.exp(random.nextDouble() * Math.log(MAX_READ_BYTES));
            try (var stream = open("")) {
                var read = stream.read(bytes);
                addFrames(RawStream.frames(read));
                tornFrames += read.length > 1 && read[read.length - 1] != '\n' ? 1 : 0;
                if (random.nextBoolean()) {
                    stream.reset();
                }
            }
        }

        void readToTheEnd() throws IOException {
            try (var stream = open("until=idle&")) {
                addFrames(RawStream.frames(stream.read(Integer.MAX_VALUE)));
            }
        }

        private RawStream open(String query) throws IOException {
            var last = Long.toString(seen.isEmpty() ? 0 : seen.getLast().id());
            var path = session + "/stream?" + query;
            return random.nextBoolean()
                    ? RawStream.open(api, path + "after=" + last, Map.of())
                    : RawStream.open(api, path, Map.of("Last-Event-ID", last));
        }

        private void addFrames(List<Frame> frames) {
            frames.stream().filter(frame -> frame.id() > 0).forEach(seen::add);
        }
    }
}
