package dev.ash.bench.turn;

import dev.ash.bench.floor.BatchedInserts;
import dev.ash.bench.floor.SocketEcho;
import dev.ash.bench.result.Figure;
import dev.ash.bench.result.Summary;
import dev.ash.bench.result.Verdict;
import dev.ash.bench.run.Benchmark;
import dev.ash.bench.run.Measurement;
import dev.ash.bench.server.ApiConnection;
import dev.ash.bench.server.BenchServer;
import dev.ash.bench.server.BenchSession;
import dev.ash.bench.server.ServerSettings;
import java.io.IOException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * Sends a message on a kept connection and reads the first {@code message} frame, whose event is
 * stored before; also the first fifty turns after a start of the server.
 */
public final class Message implements Benchmark {
    private static final int FIRST_TURNS = 50;
    private static final int WARM_UP = 200;
    private static final int EVENT_BYTES = 400;
    private static final double FIRST_LIMIT_MS = 4;
    private static final double P99_LIMIT_MS = 6;
    private static final String BODY = "{\"content\":\"demo: messages 1\"}";

    @Override
    public String name() {
        return "message";
    }

    @Override
    public String description() {
        return "send a message, until its first `message` frame";
    }

    @Override
    public void run(Measurement measurement) throws Exception {
        var settings = ServerSettings.standard().with("ASH_RATE_LIMIT_PER_MINUTE", "0");
        var server = measurement.server(settings);
        measureFirstTurns(measurement, server);
        measureTurns(measurement, server);
        measurement.release(server);
    }

    /** The server is restarted first, because the start of a new data directory is not typical. */
    private static void measureFirstTurns(Measurement measurement, BenchServer server)
            throws IOException, InterruptedException {
        var millis = new ArrayList<Double>();
        int starts = measurement.samples(3);
        for (int i = 0; i < starts; i++) {
            measurement.progress("first turns, start %d of %d", i + 1, starts);
            server.stop();
            server.start();
            server.awaitWarm(1);
            var session = server.session();
            server.awaitWarm(1);
            try (var connection = server.connect()) {
                for (int turn = 0; turn < FIRST_TURNS; turn++) {
                    millis.add(turn(connection, session));
                }
            }
            session.end();
        }
        measurement.record(
                Figure.millis(
                                "message to first `message`, first fifty turns after a start",
                                Figure.OWN,
                                millis)
                        .atMost(FIRST_LIMIT_MS));
    }

    private static void measureTurns(Measurement measurement, BenchServer server)
            throws IOException, InterruptedException, SQLException {
        var millis = new ArrayList<Double>();
        var floor = new ArrayList<Double>();
        int samples = measurement.samples(1000);
        var session = server.session();
        server.awaitWarm(1);
        try (var connection = server.connect();
                var inserts = BatchedInserts.like(server, EVENT_BYTES);
                var echo = new SocketEcho(server.directory())) {
            for (int i = -measurement.samples(WARM_UP); i < samples; i++) {
                measurement.progress("turn %d of %d", i + 1, samples);
                double took = turn(connection, session);
                double bare = inserts.commitMillis() + inserts.commitMillis() + echo.millis();
                if (i >= 0) {
                    millis.add(took);
                    floor.add(bare);
                }
            }
        }
        record(measurement, millis, floor);
    }

    private static void record(Measurement measurement, List<Double> millis, List<Double> floor) {
        var figure =
                Figure.millis("message to first `message`, kept connection", Figure.OWN, millis)
                        .over("two bare commits + socket echo", floor);
        var summary = figure.summary();
        measurement.record(
                figure.with(
                                Verdict.atMost(
                                                "p50",
                                                summary.p50(),
                                                2 * Summary.of(floor).p50(),
                                                "ms")
                                        .because("2 × floor"))
                        .with(Verdict.atMost("p99", summary.p99(), P99_LIMIT_MS, "ms")));
    }

    private static double turn(ApiConnection connection, BenchSession session) throws IOException {
        long begin = System.nanoTime();
        connection.send("POST", session.path() + "/messages", BODY);
        long first = connection.awaitLine("event: message");
        connection.readBody();
        return (first - begin) / 1e6;
    }
}
