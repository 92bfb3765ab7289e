package dev.ash.bench.scale;

import dev.ash.bench.floor.BatchedInserts;
import dev.ash.bench.result.Curve;
import dev.ash.bench.result.Figure;
import dev.ash.bench.run.Benchmark;
import dev.ash.bench.run.Measurement;
import dev.ash.bench.server.ApiConnection;
import dev.ash.bench.server.BenchServer;
import dev.ash.bench.server.BenchSession;
import dev.ash.bench.server.ServerSettings;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Latency with logs of 10 to a million events: a page, the end of the log, an append. */
public final class LogSize implements Benchmark {
    private static final int[] SIZES = {10, 100, 1_000, 10_000, 100_000, 1_000_000};
    private static final int PAGE = 100;
    private static final int EVENT_BYTES = 400;
    private static final String PAGE_NAME = "last page of 100 events";
    private static final String REPLAY_NAME = "replay of the last 10 events";
    private static final String APPEND_NAME = "append: a turn of one event";

    @Override
    public String name() {
        return "log";
    }

    @Override
    public String description() {
        return "a page, a replay from the end and an append, with logs of 10 to 1 000 000 events";
    }

    @Override
    public void run(Measurement measurement) throws Exception {
        var server =
                measurement.server(ServerSettings.standIn().with("ASH_RATE_LIMIT_PER_MINUTE", "0"));
        var sessions = new ArrayList<BenchSession>();
        for (int i = 0; i < SIZES.length; i++) {
            sessions.add(server.session());
        }
        server.stop();
        try (var filler = new LogFiller(server.data().resolve("ash.db"))) {
            for (int i = 0; i < SIZES.length; i++) {
                measurement.progress("filling a log with %,d events", SIZES[i]);
                filler.fill(sessions.get(i).id(), SIZES[i]);
            }
        }
        server.start();
        var points = new LinkedHashMap<String, List<Curve.Point>>();
        for (int i = 0; i < SIZES.length; i++) {
            measurement.progress("%,d events", SIZES[i]);
            var samples = measure(measurement, server, sessions.get(i), SIZES[i]);
            for (var entry : samples.entrySet()) {
                points.computeIfAbsent(entry.getKey(), _ -> new ArrayList<>())
                        .add(Curve.Point.of(SIZES[i], entry.getValue()));
            }
            if (i == SIZES.length - 1) {
                record(measurement, server, samples);
            }
        }
        measurement.release(server);
        measurement.record(
                new Curve(
                        "log",
                        "events in the log",
                        "ms",
                        points.entrySet().stream()
                                .map(e -> new Curve.Series(e.getKey(), e.getValue()))
                                .toList()));
    }

    private static void record(
            Measurement measurement, BenchServer server, Map<String, List<Double>> samples)
            throws Exception {
        var pages = new ArrayList<Double>();
        var commits = new ArrayList<Double>();
        try (var inserts = BatchedInserts.like(server, EVENT_BYTES)) {
            inserts.perSecond(BatchedInserts.groups(10_000, PAGE));
            for (int i = 0; i < measurement.samples(100); i++) {
                pages.add(inserts.pageMillis(PAGE));
                commits.add(inserts.commitMillis());
            }
        }
        for (var entry : samples.entrySet()) {
            var isAppend = entry.getKey().equals(APPEND_NAME);
            measurement.record(
                    Figure.millis(
                                    entry.getKey() + ", log of 1 000 000",
                                    Figure.STAND_IN,
                                    entry.getValue())
                            .over(
                                    isAppend ? "bare commit" : "bare query of 100 rows",
                                    isAppend ? commits : pages));
        }
    }

    private static Map<String, List<Double>> measure(
            Measurement measurement, BenchServer server, BenchSession session, int events)
            throws IOException, InterruptedException {
        var pages = new ArrayList<Double>();
        var replays = new ArrayList<Double>();
        var appends = new ArrayList<Double>();
        int samples = measurement.samples(50, 3);
        try (var connection = server.connect()) {
            session.turn("BURST 1"); // wakes the session
            for (int i = -3; i < samples; i++) {
                double append = append(connection, session);
                double page = page(connection, session, events);
                double replay = replay(session, events - 10);
                if (i >= 0) {
                    appends.add(append);
                    pages.add(page);
                    replays.add(replay);
                }
            }
        }
        session.stop();
        var all = new LinkedHashMap<String, List<Double>>();
        all.put(PAGE_NAME, pages);
        all.put(REPLAY_NAME, replays);
        all.put(APPEND_NAME, appends);
        return all;
    }

    private static double append(ApiConnection connection, BenchSession session)
            throws IOException {
        long begin = System.nanoTime();
        connection.call("POST", session.path() + "/messages", "{\"content\":\"BURST 1\"}");
        return (System.nanoTime() - begin) / 1e6;
    }

    private static double page(ApiConnection connection, BenchSession session, int events)
            throws IOException {
        long begin = System.nanoTime();
        connection.call(
                "GET",
                session.path()
                        + "/events?limit=%d&after=%d".formatted(PAGE, Math.max(0, events - PAGE)),
                "");
        return (System.nanoTime() - begin) / 1e6;
    }

    private static double replay(BenchSession session, int after) throws IOException {
        long begin = System.nanoTime();
        try (var subscriber = session.subscribe(after)) {
            for (int i = 0; i < 10; i++) {
                subscriber.nextId();
            }
            return (System.nanoTime() - begin) / 1e6;
        }
    }
}
