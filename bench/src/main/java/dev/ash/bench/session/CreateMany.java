package dev.ash.bench.session;

import static java.nio.charset.StandardCharsets.UTF_8;

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
import java.util.ArrayList;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;

/** Creates many sessions concurrently: from warm sandboxes, and cold. */
public final class CreateMany implements Benchmark {
    private static final int TEN = 10;
    private static final int FIFTY = 50;
    private static final double WARM_LIMIT_MS = 60;
    private static final double TIMES_ONE = 7;
    private static final String TEN_WARM = "{\"agent\":\"ten\"}";

    @Override
    public String name() {
        return "create-many";
    }

    @Override
    public String description() {
        return "10 creates at once with 10 warm sandboxes; 10 and 50 at once without";
    }

    @Override
    public void run(Measurement measurement) throws Exception {
        runWarm(measurement);
        runCold(measurement);
    }

    private static void runWarm(Measurement measurement) throws IOException, InterruptedException {
        var server = measurement.server(ServerSettings.cold());
        server.deploy("ten", ".ash/agent.json", "{\"preWarmCount\":10}".getBytes(UTF_8));
        var millis = new ArrayList<Double>();
        int rounds = measurement.samples(20, 2);
        for (int i = -1; i < rounds; i++) {
            measurement.progress("10 warm, round %d of %d", i + 1, rounds);
            server.awaitWarm(TEN);
            double took = createAtOnce(server, TEN, TEN_WARM);
            if (i >= 0) {
                millis.add(took);
            }
        }
        measurement.release(server);
        measurement.record(
                Figure.millis("10 creates at once, 10 warm", Figure.OWN, millis)
                        .atMost(WARM_LIMIT_MS));
    }

    private static void runCold(Measurement measurement) throws IOException, InterruptedException {
        var server = measurement.sharedServer(ServerSettings.cold());
        var floor = ColdFloor.of(server, measurement);
        var one = new ArrayList<Double>();
        var ten = new ArrayList<Double>();
        var fifty = new ArrayList<Double>();
        int rounds = measurement.samples(10, 2);
        for (int i = 0; i < rounds; i++) {
            measurement.progress("cold, round %d of %d", i + 1, rounds);
            one.add(createAtOnce(server, 1, Timer.CREATE));
            ten.add(createAtOnce(server, TEN, Timer.CREATE));
            floor.measure();
        }
        for (int i = 0; i < measurement.samples(3); i++) {
            measurement.progress("50 cold, round %d", i + 1);
            fifty.add(createAtOnce(server, FIFTY, Timer.CREATE));
        }
        double limit = TIMES_ONE * Summary.of(one).p50();
        var note =
                "one bridge start needs %s ms of processor time; %d processors"
                        .formatted(
                                Measurement.number(Summary.of(floor.cpu()).p50()),
                                Runtime.getRuntime().availableProcessors());
        var figure =
                Figure.millis("10 creates at once, cold", Figure.OWN, ten)
                        .over("one cold create", one)
                        .note(note);
        measurement.record(
                figure.with(
                        Verdict.atMost("p50", figure.summary().p50(), limit, "ms")
                                .because("7 × one")));
        measurement.record(
                Figure.millis("50 creates at once, cold", Figure.OWN, fifty)
                        .over("one cold create", one)
                        .note(note));
    }

    /** Returns the milliseconds until the last of the sessions is created; then ends them. */
    private static double createAtOnce(BenchServer server, int count, String body)
            throws IOException, InterruptedException {
        var connections = new ArrayList<ApiConnection>();
        var sessions = new ArrayList<BenchSession>();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var tasks = new ArrayList<Callable<BenchSession>>();
            for (int i = 0; i < count; i++) {
                var connection = server.connect();
                connections.add(connection);
                tasks.add(() -> Timer.create(server, connection, "/api/sessions", body).session());
            }
            long begin = System.nanoTime();
            for (var created : threads.invokeAll(tasks)) {
                sessions.add(created.get());
            }
            return (System.nanoTime() - begin) / 1e6;
        } catch (ExecutionException e) {
            throw new IOException(e.getCause());
        } finally {
            for (var session : sessions) {
                session.end();
            }
            for (var connection : connections) {
                connection.close();
            }
        }
    }
}
