package dev.ash.bench;

import java.io.IOException;

/**
 * Turns of one session, alone and then beside another that takes all it can get: processes, memory,
 * disk, processor.
 */
final class Neighbour {
    private static final int WARM_UP = 150;
    private static final int TURNS = 150;
    private static final double TARGET = 3.0;
    private static final String SMALL =
            ",\"limits\":{\"pids\":100,\"memoryMb\":512,\"diskMb\":200,\"cpuPercent\":100}";

    static void run() throws IOException, InterruptedException {
        try (var server = BenchServer.start()) {
            var quiet = server.session();
            turns(quiet, WARM_UP);
            for (var bomb : new String[] {"FORK", "MEMORY", "DISK", "SPIN"}) {
                var alone = turns(quiet, TURNS);
                var hostile = server.session(SMALL);
                hostile.ask("BOMB " + bomb);
                var beside = turns(quiet, TURNS);
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

    private static Figures turns(BenchSession session, int count)
            throws IOException, InterruptedException {
        var times = new double[count];
        for (int i = 0; i < count; i++) {
            times[i] = session.turn("BURST 1");
        }
        return new Figures(times);
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
