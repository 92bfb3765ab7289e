package dev.ash.bench.session;

import dev.ash.bench.floor.BareBridge;
import dev.ash.bench.floor.BareJvm;
import dev.ash.bench.result.Figure;
import dev.ash.bench.result.Summary;
import dev.ash.bench.result.Verdict;
import dev.ash.bench.run.Benchmark;
import dev.ash.bench.run.Measurement;
import dev.ash.bench.server.BenchServer;
import dev.ash.bench.server.ServerSettings;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Starts the bridge program without a sandbox, alternating with that of an older build. */
public final class BridgeStart implements Benchmark {
    private static final int WARM_UP = 3;
    private static final double SHARE_OF_OLDER = 0.65;

    @Override
    public String name() {
        return "bridge-start";
    }

    @Override
    public String description() {
        return "the bridge program alone, from exec to `ready`: duration and processor time";
    }

    @Override
    public void run(Measurement measurement) throws Exception {
        var bridge = bridge(measurement.sharedServer(ServerSettings.cold()), measurement);
        if (measurement.compareDist().isEmpty()) {
            compare(measurement, bridge, List.of());
            return;
        }
        var dist = measurement.compareDist().get();
        var older = measurement.own(BenchServer.ofBuild(dist, Map.of(), List.of()));
        older.deploy("notes.txt", new byte[0]);
        older.awaitAotCache();
        compare(measurement, bridge, List.of(bridge(older, measurement)));
        measurement.release(older);
    }

    private static BareBridge bridge(BenchServer server, Measurement measurement)
            throws IOException, InterruptedException {
        var session = server.session();
        var bridge = BareBridge.of(server, measurement.work());
        session.end();
        return bridge;
    }

    /** {@code older} has at most one bridge. */
    private static void compare(Measurement measurement, BareBridge bridge, List<BareBridge> older)
            throws IOException, InterruptedException {
        var millis = new ArrayList<Double>();
        var cpu = new ArrayList<Double>();
        var olderMillis = new ArrayList<Double>();
        var floor = new ArrayList<Double>();
        int samples = measurement.samples(100);
        for (int i = -WARM_UP; i < samples; i++) {
            measurement.progress("start %d of %d", i + 1, samples);
            var start = bridge.start();
            for (var old : older) {
                double took = old.start().millis();
                if (i >= 0) {
                    olderMillis.add(took);
                }
            }
            double bare = BareJvm.millis();
            if (i >= 0) {
                millis.add(start.millis());
                cpu.add(start.cpuMillis());
                floor.add(bare);
            }
        }
        var figure =
                Figure.millis("bridge start, exec to `ready`", Figure.OWN, millis)
                        .over("bare JVM", floor);
        if (olderMillis.isEmpty()) {
            measurement.record(figure.note("--compare-dist alternates with an older build"));
        } else {
            double limit = SHARE_OF_OLDER * Summary.of(olderMillis).p50();
            measurement.record(
                    figure.with(
                            Verdict.atMost("p50", figure.summary().p50(), limit, "ms")
                                    .because("0.65 × the older build, alternating")));
            measurement.record(
                    Figure.millis("bridge start of the older build", Figure.OWN, olderMillis)
                            .over("bare JVM", floor));
        }
        measurement.record(Figure.millis("bridge start, processor time", Figure.OWN, cpu));
    }
}
