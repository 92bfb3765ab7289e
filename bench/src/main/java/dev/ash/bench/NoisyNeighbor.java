package dev.ash.bench;

import java.io.IOException;
import java.util.stream.DoubleStream;

/**
 * Measures the turns of one session alone, and next to another session that exhausts processes,
 * memory, disk or CPU.
 */
final class NoisyNeighbor {
    /** Long enough for the server to detect a fork bomb. */
    private static final long SPAN_NANOS = 8_000_000_000L;

    private static final double TARGET = 3.0;
    private static final String SMALL =
            ",\"limits\":{\"pids\":100,\"memoryMb\":512,\"diskMb\":200,\"cpuPercent\":100}";

    static void run() throws IOException, InterruptedException {
        try (var server = BenchServer.start()) {
            var victim = server.session();
            turns(victim);
            for (var bomb : new String[] {"FORK", "MEMORY", "DISK", "SPIN"}) {
                var alone = turns(victim);
                var hostile = server.session(SMALL);
                hostile.prompt("BOMB " + bomb);
                var during = turns(victim);
                double ratio = during.median() / alone.median();
                System.out.printf(
                        "turn next to %-6s: p50 %.2f ms, alone %.2f ms, ratio %.2f (target %.0f: %s); %s%n",
                        bomb,
                        during.median(),
                        alone.median(),
                        ratio,
                        TARGET,
                        ratio <= TARGET ? "met" : "NOT met",
                        outcome(hostile));
                hostile.end();
            }
        }
    }

    private static Statistics turns(BenchSession session) throws IOException, InterruptedException {
        var times = DoubleStream.builder();
        for (long begin = System.nanoTime(); System.nanoTime() - begin < SPAN_NANOS; ) {
            times.add(session.turn("BURST 1"));
        }
        return new Statistics(times.build().toArray());
    }

    /** Returns the error of the hostile session, which may still be running. */
    private static String outcome(BenchSession hostile) throws IOException, InterruptedException {
        var toJson = hostile.toJson();
        int error = toJson.indexOf("\"error\":");
        return error < 0
                ? "still running"
                : toJson.substring(error, Math.min(toJson.length(), error + 120));
    }

    private NoisyNeighbor() {}
}
