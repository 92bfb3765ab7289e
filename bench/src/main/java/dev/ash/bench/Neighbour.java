package dev.ash.bench;

import java.io.IOException;
import java.util.stream.DoubleStream;

/**
 * Turns of one session, alone and then beside another that takes all it can get: processes, memory,
 * disk, processor.
 */
final class Neighbour {
    /** Long enough for a fork bomb to be found out. */
    private static final long SPAN_NANOS = 8_000_000_000L;

    private static final double TARGET = 3.0;
    private static final String SMALL =
            ",\"limits\":{\"pids\":100,\"memoryMb\":512,\"diskMb\":200,\"cpuPercent\":100}";

    static void run() throws IOException, InterruptedException {
        try (var server = BenchServer.start()) {
            var quiet = server.session();
            turns(quiet);
            for (var bomb : new String[] {"FORK", "MEMORY", "DISK", "SPIN"}) {
                var alone = turns(quiet);
                var hostile = server.session(SMALL);
                hostile.ask("BOMB " + bomb);
                var beside = turns(quiet);
                double ratio = beside.median() / alone.median();
                System.out.printf(
                        "turn beside %-6s: p50 %.2f ms, alone %.2f ms, ratio %.2f (target %.0f: %s); %s%n",
                        bomb,
                        beside.median(),
                        alone.median(),
                        ratio,
                        TARGET,
                        ratio <= TARGET ? "met" : "NOT met",
                        ending(hostile));
                hostile.end();
            }
        }
    }

    private static Figures turns(BenchSession session) throws IOException, InterruptedException {
        var times = DoubleStream.builder();
        for (long begin = System.nanoTime(); System.nanoTime() - begin < SPAN_NANOS; ) {
            times.add(session.turn("BURST 1"));
        }
        return new Figures(times.build().toArray());
    }

    /** What became of the other one, which may go on until it is stopped. */
    private static String ending(BenchSession hostile) throws IOException, InterruptedException {
        var shown = hostile.shown();
        int error = shown.indexOf("\"error\":");
        return error < 0
                ? "it still runs"
                : shown.substring(error, Math.min(shown.length(), error + 120));
    }

    private Neighbour() {}
}
