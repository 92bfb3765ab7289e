package dev.ash.bench.session;

import dev.ash.bench.floor.BatchedInserts;
import dev.ash.bench.result.Figure;
import dev.ash.bench.run.Benchmark;
import dev.ash.bench.run.Measurement;
import dev.ash.bench.server.ServerSettings;
import java.util.ArrayList;

/** Stops or deletes sessions that have had one turn. */
public final class Stop implements Benchmark {
    private static final int WARM_UP = 3;
    private static final int EVENT_BYTES = 400;
    private static final double STOP_LIMIT_MS = 10;
    private static final double DELETE_LIMIT_MS = 12;

    private final boolean isDelete;

    private Stop(boolean isDelete) {
        this.isDelete = isDelete;
    }

    public static Stop stop() {
        return new Stop(false);
    }

    public static Stop delete() {
        return new Stop(true);
    }

    @Override
    public String name() {
        return isDelete ? "delete" : "stop";
    }

    @Override
    public String description() {
        return isDelete ? "delete a session with a sandbox" : "stop a session with a sandbox";
    }

    @Override
    public void run(Measurement measurement) throws Exception {
        var server = measurement.sharedServer(ServerSettings.standard());
        var millis = new ArrayList<Double>();
        var floor = new ArrayList<Double>();
        int samples = measurement.samples(100);
        try (var connection = server.connect();
                var inserts = BatchedInserts.like(server, EVENT_BYTES)) {
            for (int i = -WARM_UP; i < samples; i++) {
                measurement.progress("session %d of %d", i + 1, samples);
                var session = Timer.create(server, connection).session();
                session.turn("demo: messages 1");
                server.awaitWarm(1); // the next sandbox does not start during the measurement
                double took;
                if (isDelete) {
                    took = Timer.millis(connection, "DELETE", session.path());
                } else {
                    took = Timer.millis(connection, "POST", session.path() + "/stop");
                    session.end();
                }
                double commit = inserts.commitMillis();
                if (i >= 0) {
                    millis.add(took);
                    floor.add(commit);
                }
            }
        }
        measurement.record(
                Figure.millis(name(), Figure.OWN, millis)
                        .over("bare commit", floor)
                        .atMost(isDelete ? DELETE_LIMIT_MS : STOP_LIMIT_MS));
    }
}
