package dev.ash.bench.session;

import dev.ash.bench.floor.BatchedInserts;
import dev.ash.bench.result.Figure;
import dev.ash.bench.result.Summary;
import dev.ash.bench.result.Verdict;
import dev.ash.bench.run.Benchmark;
import dev.ash.bench.run.Measurement;
import dev.ash.bench.server.ServerSettings;
import java.util.ArrayList;

/** Resumes a paused session, whose sandbox still runs, and a stopped one, which needs a new one. */
public final class Resume implements Benchmark {
    private static final int WARM_UP = 3;
    private static final int EVENT_BYTES = 400;
    private static final double WARM_LIMIT_MS = 2;
    private static final double COLD_MARGIN_MS = 10;

    @Override
    public String name() {
        return "resume";
    }

    @Override
    public String description() {
        return "resume a paused session (warm) and a stopped one (cold)";
    }

    @Override
    public void run(Measurement measurement) throws Exception {
        var server = measurement.sharedServer(ServerSettings.cold());
        var warm = new ArrayList<Double>();
        var cold = new ArrayList<Double>();
        var creates = new ArrayList<Double>();
        var commits = new ArrayList<Double>();
        int samples = measurement.samples(60);
        var session = server.session();
        try (var connection = server.connect();
                var inserts = BatchedInserts.like(server, EVENT_BYTES)) {
            for (int i = -WARM_UP; i < samples; i++) {
                measurement.progress("resume %d of %d", i + 1, samples);
                connection.call("POST", session.path() + "/pause", "");
                double fromPause = Timer.millis(connection, "POST", session.path() + "/resume");
                double commit = inserts.commitMillis();
                session.stop();
                double fromStop = Timer.millis(connection, "POST", session.path() + "/resume");
                var created = Timer.create(server, connection);
                created.session().end();
                if (i >= 0) {
                    warm.add(fromPause);
                    cold.add(fromStop);
                    creates.add(created.millis());
                    commits.add(commit);
                }
            }
        }
        session.end();
        measurement.record(
                Figure.millis("resume, warm", Figure.OWN, warm)
                        .over("bare commit", commits)
                        .atMost(WARM_LIMIT_MS));
        var figure = Figure.millis("resume, cold", Figure.OWN, cold).over("cold create", creates);
        double limit = Summary.of(creates).p50() + COLD_MARGIN_MS;
        measurement.record(
                figure.with(
                        Verdict.atMost("p50", figure.summary().p50(), limit, "ms")
                                .because("cold create + 10 ms")));
    }
}
