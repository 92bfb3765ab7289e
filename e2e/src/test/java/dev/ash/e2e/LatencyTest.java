package dev.ash.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What Ash itself costs between a prompt and the first message. */
class LatencyTest {
    private static final int WARM_UP = 300;
    private static final int SAMPLES = 300;

    @Test
    void theFirstMessageComesWithinThreeMillisecondsBeyondTheEnginesOwnTime() {
        try (var server = AshServer.start(Resources.SEED_BRIDGE)) {
            server.deploy("echo", Resources.agentWithBridge("seed_bridge.py"));
            var session = server.session("echo");
            for (int i = 0; i < WARM_UP; i++) {
                overhead(session);
            }
            var overhead = new ArrayList<Double>();
            for (int i = 0; i < SAMPLES; i++) {
                overhead.add(overhead(session));
            }

            System.out.printf(
                    "milliseconds from prompt to first message: p50 %.2f, p95 %.2f%n",
                    percentile(overhead, 50), percentile(overhead, 95));
            if (machineIsQuiet()) {
                assertThat(percentile(overhead, 50)).isLessThanOrEqualTo(3.0);
            } else {
                System.out.println("  not judged: the machine has more to do than this test");
            }
        }
    }

    private static double overhead(TestSession session) {
        var start = System.nanoTime();
        try (var stream = session.send("hello")) {
            var message = stream.next("message");
            var took = System.nanoTime() - start;
            stream.rest();
            return (took - message.json().path("engineNanos").asLong()) / 1e6;
        }
    }

    private static double percentile(List<Double> values, int percent) {
        return values.stream().sorted().toList().get(values.size() * percent / 100);
    }

    /** One core for the test and one for what it starts is all that this test needs. */
    private static boolean machineIsQuiet() {
        var system = ManagementFactory.getOperatingSystemMXBean();
        return system.getSystemLoadAverage() <= system.getAvailableProcessors();
    }
}
