package dev.ash.bench.session;

import dev.ash.bench.floor.BatchedInserts;
import dev.ash.bench.result.Figure;
import dev.ash.bench.run.Benchmark;
import dev.ash.bench.run.Measurement;
import dev.ash.bench.server.ServerSettings;
import java.util.ArrayList;

/** Creates sessions while a warm sandbox is available, on a kept and on a new connection. */
public final class Create implements Benchmark {
    private static final int WARM_UP = 5;
    private static final int EVENT_BYTES = 400;
    private static final double KEPT_LIMIT_MS = 5;
    private static final double NEW_LIMIT_MS = 8;

    @Override
    public String name() {
        return "create";
    }

    @Override
    public String description() {
        return "create a session from a warm sandbox";
    }

    @Override
    public void run(Measurement measurement) throws Exception {
        var server = measurement.sharedServer(ServerSettings.standard());
        var kept = new ArrayList<Double>();
        var fresh = new ArrayList<Double>();
        var floor = new ArrayList<Double>();
        int samples = measurement.samples(100);
        try (var connection = server.connect();
                var inserts = BatchedInserts.like(server, EVENT_BYTES)) {
            for (int i = -WARM_UP; i < samples; i++) {
                measurement.progress("create %d of %d", i + 1, samples);
                server.awaitWarm(1);
                var first = Timer.create(server, connection);
                first.session().end();
                server.awaitWarm(1);
                var second = Timer.createOnNewConnection(server);
                second.session().end();
                double commit = inserts.commitMillis();
                if (i >= 0) {
                    kept.add(first.millis());
                    fresh.add(second.millis());
                    floor.add(commit);
                }
            }
        }
        measurement.record(
                Figure.millis("create, pre-warmed, kept connection", Figure.OWN, kept)
                        .over("bare commit", floor)
                        .atMost(KEPT_LIMIT_MS));
        measurement.record(
                Figure.millis("create, pre-warmed, new connection", Figure.OWN, fresh)
                        .over("bare commit", floor)
                        .atMost(NEW_LIMIT_MS));
    }
}
