package dev.ash.bench.session;

import dev.ash.bench.floor.BareJvm;
import dev.ash.bench.result.Figure;
import dev.ash.bench.run.Benchmark;
import dev.ash.bench.run.Measurement;
import dev.ash.bench.server.AshCommand;
import java.util.ArrayList;

/** {@code ./ash start} of a server that has run before, until it is healthy. */
public final class Start implements Benchmark {
    private static final int WARM_UP = 3; // the first starts create the data directory and caches
    private static final double LIMIT_MS = 1_000;

    @Override
    public String name() {
        return "start";
    }

    @Override
    public String description() {
        return "`./ash start` until the server is healthy, and until the command returns";
    }

    @Override
    public void run(Measurement measurement) throws Exception {
        var command =
                measurement.own(new AshCommand(measurement.installation(), measurement.work()));
        AshCommand.trainCaches(measurement.installation(), measurement.work());
        var healthy = new ArrayList<Double>();
        var returned = new ArrayList<Double>();
        var floor = new ArrayList<Double>();
        int samples = measurement.samples(20, 3);
        for (int i = -WARM_UP; i < samples; i++) {
            measurement.progress("start %d of %d", i + 1, samples);
            var start = command.start();
            command.awaitBackgroundWork();
            command.stop();
            double bare = BareJvm.millis();
            if (i >= 0) {
                healthy.add(start.healthyMillis());
                returned.add(start.returnedMillis());
                floor.add(bare);
            }
        }
        measurement.release(command);
        measurement.record(
                Figure.millis("`./ash start` to healthy, warm", "", healthy)
                        .over("bare JVM", floor)
                        .atMost(LIMIT_MS));
        measurement.record(
                Figure.millis("`./ash start` to its end", "", returned).over("bare JVM", floor));
    }
}
