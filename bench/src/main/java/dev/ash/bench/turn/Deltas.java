package dev.ash.bench.turn;

import dev.ash.bench.floor.BareStream;
import dev.ash.bench.result.Figure;
import dev.ash.bench.result.Summary;
import dev.ash.bench.result.Unit;
import dev.ash.bench.result.Verdict;
import dev.ash.bench.run.Benchmark;
import dev.ash.bench.run.Measurement;
import dev.ash.bench.server.BenchServer;
import dev.ash.bench.server.BenchSession;
import dev.ash.bench.server.ServerSettings;
import java.io.IOException;
import java.util.ArrayList;

/** Streams partial messages to the client of the turn, as fast as the server can. */
public final class Deltas implements Benchmark {
    private static final int DELTAS = 20_000;
    private static final int WARM_UP = 3;
    private static final String DELTA = "text_delta";
    private static final double SHARE_OF_FLOOR = 0.6;

    @Override
    public String name() {
        return "deltas";
    }

    @Override
    public String description() {
        return "rounds of 20 000 partial messages to the client of the turn: lost ones, and rate";
    }

    /** A round: its rate, the deltas that the client did not get, and the bytes of one delta. */
    private record Round(double perSecond, int lost, int bytes) {}

    @Override
    public void run(Measurement measurement) throws Exception {
        var server = measurement.server(ServerSettings.standIn());
        var floor = measurement.own(new BareStream());
        var session = server.session();
        var rates = new ArrayList<Double>();
        var lost = new ArrayList<Double>();
        var bare = new ArrayList<Double>();
        int rounds = measurement.samples(50);
        for (int i = -WARM_UP; i < rounds; i++) {
            measurement.progress("round %d of %d", i + 1, rounds);
            var round = round(server, session);
            double bareRate = floor.perSecond(DELTAS, round.bytes());
            lost.add((double) round.lost());
            if (i >= 0) {
                rates.add(round.perSecond());
                bare.add(bareRate);
            }
        }
        measurement.release(floor);
        measurement.release(server);
        double total = lost.stream().mapToDouble(Double::doubleValue).sum();
        measurement.record(
                Figure.of("deltas lost, per round of 20 000", Figure.STAND_IN, Unit.LOST, lost)
                        .with(
                                Verdict.atMost(
                                        "lost in %d rounds:".formatted(lost.size()),
                                        total,
                                        0,
                                        "")));
        var figure =
                Figure.of("deltas to the turn's client", Figure.STAND_IN, Unit.PER_SECOND, rates)
                        .over("bare Jetty stream", bare);
        double limit = SHARE_OF_FLOOR * Summary.of(bare).p50();
        measurement.record(
                figure.with(
                        Verdict.atLeast("p50", figure.summary().p50(), limit, "/s")
                                .because("0.6 × floor")));
    }

    private static Round round(BenchServer server, BenchSession session) throws IOException {
        var body = "{\"content\":\"DELTAS %d\",\"includePartialMessages\":true}".formatted(DELTAS);
        int count = 0;
        long begin = 0;
        long end = 0;
        long bytes = 0;
        try (var reader = server.openStream(session.path() + "/messages", body)) {
            for (int read = reader.awaitFrame(DELTA); read >= 0; read = reader.awaitFrame(DELTA)) {
                end = System.nanoTime();
                bytes += read;
                if (count++ == 0) {
                    begin = end;
                    bytes = 0;
                }
            }
        }
        if (count < 2) {
            throw new IOException("received " + count + " deltas");
        }
        return new Round(
                (count - 1) * 1e9 / (end - begin), DELTAS - count, (int) (bytes / (count - 1)));
    }
}
