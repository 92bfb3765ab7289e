package dev.ash.bench.scale;

import dev.ash.bench.result.Figure;
import dev.ash.bench.run.Benchmark;
import dev.ash.bench.run.Measurement;
import dev.ash.bench.server.BenchSession;
import dev.ash.bench.server.ServerSettings;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Measures the turns of one session alone, and next to another session that exhausts processes,
 * memory, disk or CPU.
 */
public final class NoisyNeighbor implements Benchmark {
    /** Long enough for the server to detect a fork bomb. */
    private static final long SPAN_NANOS = 8_000_000_000L;

    private static final double TIMES_ALONE = 3.0;
    private static final String SMALL =
            ",\"limits\":{\"pids\":100,\"memoryMb\":512,\"diskMb\":200,\"cpuPercent\":100}";

    @Override
    public String name() {
        return "neighbor";
    }

    @Override
    public String description() {
        return "turns next to a session that exhausts processes, memory, disk or CPU";
    }

    @Override
    public boolean isOnRequest() {
        return true;
    }

    @Override
    public void run(Measurement measurement) throws Exception {
        var server = measurement.server(ServerSettings.standIn());
        var victim = server.session();
        turns(victim);
        for (var bomb : List.of("FORK", "MEMORY", "DISK", "SPIN")) {
            measurement.progress("%s", bomb);
            var alone = turns(victim);
            var hostile = server.session(SMALL);
            hostile.prompt("BOMB " + bomb);
            var during = turns(victim);
            var figure =
                    Figure.millis("turn next to " + bomb, Figure.STAND_IN, during)
                            .over("turn alone", alone)
                            .note(outcome(hostile));
            hostile.end();
            var floor = Figure.millis("", "", alone).summary().p50();
            measurement.record(figure.atMost(TIMES_ALONE * floor));
        }
        measurement.release(server);
    }

    private static List<Double> turns(BenchSession session)
            throws IOException, InterruptedException {
        var times = new ArrayList<Double>();
        for (long begin = System.nanoTime(); System.nanoTime() - begin < SPAN_NANOS; ) {
            times.add(session.turn("BURST 1"));
        }
        return times;
    }

    /** Returns the error of the hostile session, which may still be running. */
    private static String outcome(BenchSession hostile) throws IOException, InterruptedException {
        var toJson = hostile.toJson();
        int error = toJson.indexOf("\"error\":");
        return error < 0
                ? "still running"
                : toJson.substring(error, Math.min(toJson.length(), error + 120));
    }
}
