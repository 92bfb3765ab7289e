package dev.ash.bench.session;

import dev.ash.bench.floor.BatchedInserts;
import dev.ash.bench.result.Figure;
import dev.ash.bench.run.Benchmark;
import dev.ash.bench.run.Measurement;
import dev.ash.bench.server.ServerSettings;
import java.util.ArrayList;

/** Forks a session with a small workspace and a log of ten turns. */
public final class Fork implements Benchmark {
    private static final int WARM_UP = 3;
    private static final int TURNS = 10;
    private static final int EVENT_BYTES = 400;

    @Override
    public String name() {
        return "fork";
    }

    @Override
    public String description() {
        return "fork a session with ten turns";
    }

    @Override
    public void run(Measurement measurement) throws Exception {
        var server = measurement.sharedServer(ServerSettings.standard());
        var session = server.session();
        for (int i = 0; i < TURNS; i++) {
            session.turn("demo: messages 3");
        }
        var millis = new ArrayList<Double>();
        var floor = new ArrayList<Double>();
        int samples = measurement.samples(60);
        try (var connection = server.connect();
                var inserts = BatchedInserts.like(server, EVENT_BYTES)) {
            for (int i = -WARM_UP; i < samples; i++) {
                measurement.progress("fork %d of %d", i + 1, samples);
                var fork = Timer.create(server, connection, session.path() + "/fork", "{}");
                fork.session().end();
                double commit = inserts.commitMillis();
                if (i >= 0) {
                    millis.add(fork.millis());
                    floor.add(commit);
                }
            }
        }
        session.end();
        measurement.record(Figure.millis("fork", Figure.OWN, millis).over("bare commit", floor));
    }
}
