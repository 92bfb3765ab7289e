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

/** A client that is cut off and comes back with its last id sees every event once. */
class DisconnectTest {
    private static final int CUTS = 2_000;
    private static final int LONGEST_READ = 64 * 1024;

    @Test
    void twoThousandCutsAtAnyByteLoseNothingAndRepeatNothing() throws Exception {
        long seed = Long.getLong("ash.seed", ThreadLocalRandom.current().nextLong());
        System.out.println("cuts: -Dash.seed=" + seed);
        try (var ash =
                AshExtension.agentsBridge().agentWithBridge("echo", "seed_bridge.py").open()) {
            var session = ash.session("echo");
            var client = new Client(ash.api(), session.path(), new Random(seed));
            var enough = new AtomicBoolean();
            var bursts =
                    CompletableFuture.runAsync(
                            () -> {
                                while (!enough.get()) {
                                    session.ask("TRICKLE 3000 200");
                                }
                            });

            for (int i = 0; i < CUTS; i++) {
                client.readAndBeCutOff();
            }
            enough.set(true);
            bursts.join();
            client.readToTheEnd();

            var log = new Store(ash.data()).frames(session.id());
            System.out.printf(
                    "%d cuts, %d of them within a frame, %d events%n",
                    CUTS, client.torn, log.size());
            assertThat(client.seen).isEqualTo(log);
            assertThat(client.torn).isGreaterThan(CUTS / 4);
            assertThat(log).hasSizeGreaterThan(CUTS);
        }
    }

    private static final class Client {
        private final Api api;
        private final String session;
        private final Random random;
        private final List<Frame> seen = new ArrayList<>();
        private int torn;

        Client(Api api, String session, Random random) {
            this.api = api;
            this.session = session;
            this.random = random;
        }

        void readAndBeCutOff() throws IOException {
            // As many short reads as long ones: from the first byte to some hundred frames.
            int bytes = (int) Math.exp(random.nextDouble() * Math.log(LONGEST_READ));
            try (var stream = open("")) {
                var read = stream.read(bytes);
                take(RawStream.frames(read));
                torn += read.length > 1 && read[read.length - 1] != '\n' ? 1 : 0;
                if (random.nextBoolean()) {
                    stream.reset();
                }
            }
        }

        void readToTheEnd() throws IOException {
            try (var stream = open("until=idle&")) {
                take(RawStream.frames(stream.read(Integer.MAX_VALUE)));
            }
        }

        private RawStream open(String query) throws IOException {
            var last = Long.toString(seen.isEmpty() ? 0 : seen.getLast().id());
            var path = session + "/stream?" + query;
            return random.nextBoolean()
                    ? RawStream.open(api, path + "after=" + last, Map.of())
                    : RawStream.open(api, path, Map.of("Last-Event-ID", last));
        }

        private void take(List<Frame> frames) {
            frames.stream().filter(frame -> frame.id() > 0).forEach(seen::add);
        }
    }
}
