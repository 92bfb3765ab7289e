package dev.ash.bench.scale;

import dev.ash.bench.floor.BareJvm;
import dev.ash.bench.result.Figure;
import dev.ash.bench.result.Summary;
import dev.ash.bench.result.Unit;
import dev.ash.bench.result.Verdict;
import dev.ash.bench.run.Benchmark;
import dev.ash.bench.run.Measurement;
import dev.ash.bench.server.Await;
import dev.ash.bench.server.BenchServer;
import dev.ash.bench.server.Bridges;
import dev.ash.bench.server.ProcessMemory;
import dev.ash.bench.server.ServerSettings;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Memory of the server at rest and after 100 sessions, and of the bridge of a session. */
public final class Memory implements Benchmark {
    private static final int SESSIONS = 100;
    private static final int BRIDGES = 5;
    private static final long REST_MS = 30_000;
    private static final long AFTER_MS = 60_000;
    private static final double REST_LIMIT_MB = 120;
    private static final double GROWTH = 1.3;
    private static final double BRIDGE_LIMIT_MB = 16;

    @Override
    public String name() {
        return "memory";
    }

    @Override
    public String description() {
        return "memory of the server at rest and one minute after 100 sessions; of a bridge";
    }

    @Override
    public void run(Measurement measurement) throws Exception {
        var server = measurement.server(ServerSettings.standard());
        // A restarted server: the first start also trains the AOT cache of bridges.
        server.stop();
        server.start();
        measurement.progress("at rest for %d s", REST_MS / 1000);
        Thread.sleep(REST_MS);
        double rest = ProcessMemory.rss(server.pid());
        var floor = List.of(BareJvm.rss(), BareJvm.rss(), BareJvm.rss());
        measureBridges(measurement, server);
        int sessions = measurement.samples(SESSIONS);
        for (int i = 0; i < sessions; i++) {
            measurement.progress("session %d of %d", i + 1, sessions);
            var session = server.session();
            session.turn("hello");
            session.end();
        }
        measurement.progress("one minute after %d sessions", sessions);
        Thread.sleep(AFTER_MS);
        double after = ProcessMemory.rss(server.pid());
        measurement.release(server);
        record(measurement, rest, after, floor, sessions);
    }

    private static void record(
            Measurement measurement, double rest, double after, List<Double> floor, int sessions) {
        measurement.record(
                Figure.of("server RSS at rest", "", Unit.MEGABYTES, List.of(rest))
                        .over("bare JVM", floor)
                        .atMost(REST_LIMIT_MB));
        measurement.record(
                Figure.of(
                                "server RSS one minute after 100 sessions",
                                Figure.OWN,
                                Unit.MEGABYTES,
                                List.of(after))
                        .over("bare JVM", floor)
                        .with(
                                Verdict.atMost("RSS", after, GROWTH * rest, "MB")
                                        .because("1.3 × at rest"))
                        .note(sessions + " sessions with one turn each"));
    }

    private static void measureBridges(Measurement measurement, BenchServer server)
            throws IOException, InterruptedException {
        var memory = new ArrayList<Double>();
        var floor = new ArrayList<Double>();
        for (int i = 0; i < BRIDGES; i++) {
            var session = server.session();
            session.turn("hello");
            Await.until("a bridge", Duration.ofSeconds(30), () -> !Bridges.of(server).isEmpty());
            for (var bridge : Bridges.of(server)) {
                memory.add(ProcessMemory.privateMemory(bridge.pid()));
            }
            floor.add(BareJvm.privateMemory());
            session.end();
        }
        var figure =
                Figure.of("private memory of a bridge", Figure.OWN, Unit.MEGABYTES, memory)
                        .over("bare JVM", floor);
        measurement.record(
                figure.with(
                        Verdict.atMost("p50", Summary.of(memory).p50(), BRIDGE_LIMIT_MB, "MB")));
    }
}
