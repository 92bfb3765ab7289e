package dev.ash.bench.session;

import dev.ash.bench.result.Figure;
import dev.ash.bench.result.Summary;
import dev.ash.bench.result.Verdict;
import dev.ash.bench.run.Benchmark;
import dev.ash.bench.run.Measurement;
import dev.ash.bench.server.ServerSettings;
import java.util.ArrayList;

/** Creates sessions on a server without warm sandboxes. */
public final class CreateCold implements Benchmark {
    private static final int WARM_UP = 3;
    private static final double TIMES_FLOOR = 1.3;

    @Override
    public String name() {
        return "create-cold";
    }

    @Override
    public String description() {
        return "create a session without a warm sandbox";
    }

    @Override
    public void run(Measurement measurement) throws Exception {
        var server = measurement.sharedServer(ServerSettings.cold());
        var millis = new ArrayList<Double>();
        var floor = ColdFloor.of(server, measurement);
        int samples = measurement.samples(60);
        try (var connection = server.connect()) {
            for (int i = -WARM_UP; i < samples; i++) {
                measurement.progress("create %d of %d", i + 1, samples);
                var created = Timer.create(server, connection);
                created.session().end();
                if (i >= 0) {
                    millis.add(created.millis());
                    floor.measure();
                }
            }
        }
        var figure =
                Figure.millis("create, cold", Figure.OWN, millis)
                        .over(ColdFloor.NAME, floor.sums());
        double limit = TIMES_FLOOR * Summary.of(floor.sums()).p50();
        measurement.record(
                figure.with(
                        Verdict.atMost("p50", figure.summary().p50(), limit, "ms")
                                .because("1.3 × floor")));
    }
}
