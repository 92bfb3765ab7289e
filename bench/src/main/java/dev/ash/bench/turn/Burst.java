package dev.ash.bench.turn;

import dev.ash.bench.floor.BatchedInserts;
import dev.ash.bench.result.Figure;
import dev.ash.bench.result.Summary;
import dev.ash.bench.result.Unit;
import dev.ash.bench.result.Verdict;
import dev.ash.bench.run.Benchmark;
import dev.ash.bench.run.Measurement;
import dev.ash.bench.server.BenchSession;
import dev.ash.bench.server.EventReader;
import dev.ash.bench.server.ServerSettings;
import java.io.IOException;
import java.util.ArrayList;

/**
 * Measures the throughput of a burst of 10,000 messages from a bridge to one subscriber, each
 * committed before it is published.
 */
public final class Burst implements Benchmark {
    public static final int EVENTS = 10_000;
    private static final int EVENT_BYTES = 400;
    private static final int WARM_UP = 5;
    private static final double SHARE_OF_FLOOR = 0.6;

    @Override
    public String name() {
        return "burst";
    }

    @Override
    public String description() {
        return "a burst of 10 000 stored events to one subscriber";
    }

    @Override
    public void run(Measurement measurement) throws Exception {
        var server = measurement.server(ServerSettings.standIn());
        var session = server.session();
        var rates = new ArrayList<Double>();
        var floor = new ArrayList<Double>();
        var groupSizes = new ArrayList<Double>();
        int rounds = measurement.samples(30, 2);
        try (var subscriber = session.subscribe(0);
                var inserts = BatchedInserts.like(server, EVENT_BYTES)) {
            for (int i = -WARM_UP; i < rounds; i++) {
                measurement.progress("round %d of %d", i + 1, rounds);
                var before = CommitGroups.of(server);
                double rate = round(session, subscriber);
                var groups = CommitGroups.of(server).since(before, EVENTS);
                double plain = inserts.perSecond(groups);
                if (i >= 0) {
                    rates.add(rate);
                    floor.add(plain);
                    groupSizes.add((double) EVENTS / groups.size());
                }
            }
        }
        measurement.release(server);
        var figure =
                Figure.of(
                                "stored events to one subscriber",
                                Figure.STAND_IN,
                                Unit.PER_SECOND,
                                rates)
                        .over("batched inserts", floor)
                        .note(
                                "groups of %s rows on average, from ash_commit_units"
                                        .formatted(
                                                Measurement.number(Summary.of(groupSizes).p50())));
        double limit = SHARE_OF_FLOOR * Summary.of(floor).p50();
        measurement.record(
                figure.with(
                        Verdict.atLeast("p50", figure.summary().p50(), limit, "/s")
                                .because("0.6 × floor")));
    }

    /** Returns the events per second from the first to the last one; fails on a gap or repeat. */
    public static double round(BenchSession session, EventReader subscriber)
            throws IOException, InterruptedException {
        session.prompt("BURST " + EVENTS);
        long first = subscriber.nextId();
        long begin = System.nanoTime();
        for (long id = first + 1; id < first + EVENTS; id++) {
            long received = subscriber.nextId();
            if (received != id) {
                throw new IOException("received event %d instead of %d".formatted(received, id));
            }
        }
        long took = System.nanoTime() - begin;
        subscriber.nextId(); // done
        return (EVENTS - 1) * 1e9 / took;
    }
}
