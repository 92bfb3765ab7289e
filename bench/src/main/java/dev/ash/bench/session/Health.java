package dev.ash.bench.session;

import dev.ash.bench.floor.BareJvm;
import dev.ash.bench.result.Figure;
import dev.ash.bench.run.Benchmark;
import dev.ash.bench.run.Measurement;
import dev.ash.bench.server.AshCommand;
import java.util.ArrayList;

/** The duration of the command {@code ./ash health} with a running server. */
public final class Health implements Benchmark {
    private static final int WARM_UP = 3;
    private static final double LIMIT_MS = 150;

    @Override
    public String name() {
        return "health";
    }

    @Override
    public String description() {
        return "the command `./ash health`, from its start to its exit";
    }

    @Override
    public void run(Measurement measurement) throws Exception {
        var command =
                measurement.own(new AshCommand(measurement.installation(), measurement.work()));
        command.start();
        AshCommand.trainCaches(measurement.installation(), measurement.work());
        command.awaitBackgroundWork();
        var millis = new ArrayList<Double>();
        var floor = new ArrayList<Double>();
        int samples = measurement.samples(100);
        for (int i = -WARM_UP; i < samples; i++) {
            measurement.progress("command %d of %d", i + 1, samples);
            double took = command.run("health");
            double bare = BareJvm.millis();
            if (i >= 0) {
                millis.add(took);
                floor.add(bare);
            }
        }
        measurement.release(command);
        measurement.record(
                Figure.millis("`ash health`", "", millis).over("bare JVM", floor).atMost(LIMIT_MS));
    }
}
