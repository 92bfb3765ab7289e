package dev.ash.bench.scale;

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

/** Latency with many hibernated sessions: forks of a session, which have no sandbox. */
public final class ManySessions implements Benchmark {
    private static final int[] SIZES = {1, 10, 100, 1_000};
    private static final int WARM_UP = 20;

    @Override
    public String name() {
        return "sessions";
    }

    @Override
    public String description() {
        return "list, create and message with 1 to 1 000 hibernated sessions";
    }

    /** An operation whose duration is measured. */
    private interface Operation {
        void run() throws IOException, InterruptedException;
    }

    @Override
    public void run(Measurement measurement) throws Exception {
        var server =
                measurement.server(ServerSettings.standIn().with("ASH_RATE_LIMIT_PER_MINUTE", "0"));
        var template = server.session();
        template.turn("BURST 1");
        template.stop(); // the stand-in cannot pause for a fork
        var session = server.session();
        var points = new LinkedHashMap<String, List<Curve.Point>>();
        var first = new LinkedHashMap<String, List<Double>>();
        int hibernated = 0;
        for (int size : SIZES) {
            for (; hibernated < size; hibernated++) {
                measurement.progress("session %d", hibernated);
                server.post(template.path() + "/fork", "{}");
            }
            // A new connection: the server closes idle ones while sessions are forked.
            try (var connection = server.connect()) {
                repeat(WARM_UP, () -> message(connection, session));
                var samples = measure(measurement, server, connection, session);
                for (var entry : samples.entrySet()) {
                    points.computeIfAbsent(entry.getKey(), _ -> new ArrayList<>())
                            .add(Curve.Point.of(size, entry.getValue()));
                    first.putIfAbsent(entry.getKey(), entry.getValue());
                }
                if (size == SIZES[SIZES.length - 1]) {
                    record(measurement, samples, first);
                }
            }
        }
        measurement.release(server);
        measurement.record(
                new Curve(
                        "sessions",
                        "hibernated sessions",
                        "ms",
                        points.entrySet().stream()
                                .map(e -> new Curve.Series(e.getKey(), e.getValue()))
                                .toList()));
    }

    private static void record(
            Measurement measurement,
            Map<String, List<Double>> samples,
            Map<String, List<Double>> first) {
        samples.forEach(
                (name, values) ->
                        measurement.record(
                                Figure.millis(
                                                name + ", 1 000 hibernated sessions",
                                                Figure.STAND_IN,
                                                values)
                                        .over("one", first.getOrDefault(name, values))));
    }

    private static Map<String, List<Double>> measure(
            Measurement measurement,
            BenchServer server,
            ApiConnection connection,
            BenchSession session)
            throws IOException, InterruptedException {
        var samples = new LinkedHashMap<String, List<Double>>();
        int cheap = measurement.samples(100, 3);
        samples.put(
                "list a page of 20",
                repeat(cheap, () -> connection.call("GET", "/api/sessions?limit=20", "")));
        samples.put("message", repeat(cheap, () -> message(connection, session)));
        var creates = new ArrayList<Double>();
        for (int i = 0; i < measurement.samples(20, 2); i++) {
            var created = new ArrayList<String>();
            creates.addAll(
                    repeat(
                            1,
                            () ->
                                    created.add(
                                            connection.call(
                                                    "POST",
                                                    "/api/sessions",
                                                    "{\"agent\":\"quick\"}"))));
            var path = server.sessionOf(created.getFirst()).path();
            server.delete(path + "?purge=true");
        }
        samples.put("create, cold", creates);
        return samples;
    }

    private static void message(ApiConnection connection, BenchSession session) throws IOException {
        connection.call("POST", session.path() + "/messages", "{\"content\":\"BURST 1\"}");
    }

    private static List<Double> repeat(int count, Operation operation)
            throws IOException, InterruptedException {
        var millis = new ArrayList<Double>();
        for (int i = 0; i < count; i++) {
            long begin = System.nanoTime();
            operation.run();
            millis.add((System.nanoTime() - begin) / 1e6);
        }
        return millis;
    }
}
