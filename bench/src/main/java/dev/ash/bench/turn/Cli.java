package dev.ash.bench.turn;

import dev.ash.bench.floor.BareCli;
import dev.ash.bench.result.Figure;
import dev.ash.bench.result.Verdict;
import dev.ash.bench.run.Benchmark;
import dev.ash.bench.run.Measurement;
import dev.ash.bench.run.SkippedException;
import dev.ash.bench.server.ApiConnection;
import dev.ash.bench.server.BenchServer;
import dev.ash.bench.server.BenchSession;
import dev.ash.bench.server.ServerSettings;
import dev.ash.bench.stats.PairedStatistics;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;

/**
 * Turns of the real Claude Code program in a sandbox, alternating with those of the same program
 * without Ash, which is kept alive. Both call a model API on loopback that answers immediately.
 */
public final class Cli implements Benchmark {
    private static final int WARM_UP = 5;
    private static final int MIN_PAIRS = 6;
    private static final double FIRST_MARGIN_MS = 30;
    private static final double LATER_MARGIN_MS = 8;
    private static final long AFTER_CREATE_MS = 1_000;

    @Override
    public String name() {
        return "cli";
    }

    @Override
    public String description() {
        return "turns of the real Claude Code program, against the same program without Ash";
    }

    @Override
    public void run(Measurement measurement) throws Exception {
        var program =
                ClaudeProgram.find().orElseThrow(() -> new SkippedException(ClaudeProgram.MISSING));
        var model = measurement.own(new ModelApi());
        var server =
                measurement.server(
                        ServerSettings.standard()
                                .with("ASH_ENGINE", "claude")
                                .with("CLAUDE_CODE_EXECUTABLE", program.toString())
                                .with("ANTHROPIC_API_KEY", "sk-ant-key-of-nobody")
                                .with("ANTHROPIC_BASE_URL", model.url()));
        var bare = measurement.own(bareCli(measurement, program, model));
        try (var connection = server.connect()) {
            measureFirstTurns(measurement, server, connection, bare);
            measureLaterTurns(measurement, server, connection, bare);
        } finally {
            measurement.release(bare);
            measurement.release(server);
            measurement.release(model);
        }
    }

    private static BareCli bareCli(Measurement measurement, Path program, ModelApi model)
            throws IOException {
        var environment = new HashMap<>(ServerSettings.baseEnvironment(measurement.work()));
        environment.put("ANTHROPIC_API_KEY", "sk-ant-key-of-nobody");
        environment.put("ANTHROPIC_BASE_URL", model.url());
        environment.put("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1");
        environment.put("IS_SANDBOX", "1"); // permits bypassPermissions as root
        return new BareCli(program, measurement.work().directory("cli"), environment);
    }

    /** Each session gets its first prompt one second after its creation. */
    private static void measureFirstTurns(
            Measurement measurement, BenchServer server, ApiConnection connection, BareCli bare)
            throws IOException, InterruptedException {
        var first = new ArrayList<Double>();
        var floor = new ArrayList<Double>();
        int samples = measurement.samples(40, MIN_PAIRS);
        bare.turn();
        for (int i = -1; i < samples; i++) {
            measurement.progress("first turn %d of %d", i + 1, samples);
            server.awaitWarm(1);
            var session = server.session();
            Thread.sleep(AFTER_CREATE_MS);
            double took = turn(connection, session).firstMillis();
            session.end();
            double bareTurn = bare.turn().firstMillis();
            if (i >= 0) {
                first.add(took);
                floor.add(bareTurn);
            }
        }
        record(
                measurement,
                "CLI: first event of turn 1, 1 s after create",
                first,
                floor,
                FIRST_MARGIN_MS);
    }

    private static void measureLaterTurns(
            Measurement measurement, BenchServer server, ApiConnection connection, BareCli bare)
            throws IOException, InterruptedException {
        var events = new ArrayList<Double>();
        var bareEvents = new ArrayList<Double>();
        var turns = new ArrayList<Double>();
        var bareTurns = new ArrayList<Double>();
        int samples = measurement.samples(100, MIN_PAIRS);
        var session = server.session();
        for (int i = -WARM_UP; i < samples; i++) {
            measurement.progress("turn %d of %d", i + 1, samples);
            boolean isBareFirst = i % 2 == 0;
            var early = isBareFirst ? bare.turn() : turn(connection, session);
            var late = isBareFirst ? turn(connection, session) : bare.turn();
            if (i >= 0) {
                var ours = isBareFirst ? late : early;
                var theirs = isBareFirst ? early : late;
                events.add(ours.firstMillis());
                bareEvents.add(theirs.firstMillis());
                turns.add(ours.resultMillis());
                bareTurns.add(theirs.resultMillis());
            }
        }
        session.end();
        record(measurement, "CLI: whole later turn", turns, bareTurns, LATER_MARGIN_MS);
        measurement.record(
                Figure.millis("CLI: first event of a later turn", Figure.OWN, events)
                        .over("bare CLI kept alive", bareEvents));
    }

    private static void record(
            Measurement measurement,
            String name,
            List<Double> values,
            List<Double> floor,
            double margin) {
        var pairs = new PairedStatistics(array(floor), array(values));
        measurement.record(
                Figure.millis(name, Figure.OWN, values)
                        .over("bare CLI kept alive", floor)
                        .with(
                                Verdict.atMost(
                                        "difference %s ms, upper 95 %% bound of its median"
                                                .formatted(Measurement.number(pairs.difference())),
                                        pairs.upperBound(),
                                        margin,
                                        "ms"))
                        .note(pairs.pairs() + " alternating pairs"));
    }

    private static double[] array(List<Double> values) {
        return values.stream().mapToDouble(Double::doubleValue).toArray();
    }

    private static BareCli.Turn turn(ApiConnection connection, BenchSession session)
            throws IOException {
        long begin = System.nanoTime();
        connection.send("POST", session.path() + "/messages", "{\"content\":\"Is it?\"}");
        long first = connection.awaitLine("event: message");
        long result = 0;
        for (var line = connection.nextLine(); line != null; line = connection.nextLine()) {
            if (line.startsWith("data: {\"type\":\"result\"")) {
                result = System.nanoTime();
            }
        }
        if (result == 0) {
            throw new IOException("the turn has no result");
        }
        return new BareCli.Turn((first - begin) / 1e6, (result - begin) / 1e6);
    }
}
