package dev.ash.bench.turn;

import dev.ash.bench.floor.BatchedInserts;
import dev.ash.bench.result.Figure;
import dev.ash.bench.run.Benchmark;
import dev.ash.bench.run.Measurement;
import dev.ash.bench.server.ServerSettings;
import java.util.ArrayList;
import java.util.List;

/** Measures single events from the bridge's write to the read of a subscriber. */
public final class Publish implements Benchmark {
    private static final int WARM_UP = 1500;
    private static final int GAP_MS = 3;
    private static final int EVENT_BYTES = 400;

    @Override
    public String name() {
        return "publish";
    }

    @Override
    public String description() {
        return "one event every 3 ms, from the bridge's write to a subscriber's read";
    }

    @Override
    public boolean isOnRequest() {
        return true;
    }

    @Override
    public void run(Measurement measurement) throws Exception {
        var server = measurement.server(ServerSettings.standIn());
        var session = server.session();
        var millis = new ArrayList<Double>();
        var commits = new ArrayList<Double>();
        int samples = measurement.samples(1000);
        try (var subscriber = session.subscribe(0);
                var inserts = BatchedInserts.like(server, EVENT_BYTES)) {
            PublishedEvents.measure(session, subscriber, measurement.samples(WARM_UP), 1);
            for (int done = 0; done < samples; done += 100) {
                measurement.progress("event %d of %d", done, samples);
                var times =
                        PublishedEvents.measure(
                                session, subscriber, Math.min(100, samples - done), GAP_MS);
                millis.addAll(times);
                commits.addAll(commits(inserts, times.size()));
            }
        }
        measurement.release(server);
        measurement.record(
                Figure.millis("bridge's write to subscriber's read", Figure.STAND_IN, millis)
                        .over("bare commit", commits));
    }

    private static List<Double> commits(BatchedInserts inserts, int count) throws Exception {
        var commits = new ArrayList<Double>();
        for (int i = 0; i < count; i++) {
            Thread.sleep(GAP_MS); // an idle disk is slower
            commits.add(inserts.commitMillis());
        }
        return commits;
    }
}
