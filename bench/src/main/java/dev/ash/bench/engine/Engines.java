package dev.ash.bench.engine;

import dev.ash.bench.result.Figure;
import dev.ash.bench.result.Unit;
import dev.ash.bench.run.Benchmark;
import dev.ash.bench.run.Measurement;
import dev.ash.bench.run.SkippedException;
import dev.ash.bench.server.ApiConnection;
import dev.ash.bench.server.BenchServer;
import dev.ash.bench.server.BenchSession;
import dev.ash.bench.server.Bridges;
import dev.ash.bench.server.ProcessMemory;
import dev.ash.bench.turn.ModelApi;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The first event and the end of a first and of later turns of each installed engine, and the
 * memory of its processes after them. The model API is on loopback and answers immediately, so the
 * figures are those of the engine and of Ash.
 */
public final class Engines implements Benchmark {
    private static final int LATER_TURNS = 5;
    private static final int MIN_SESSIONS = 3;

    /** Durations of one turn, from the prompt, in milliseconds. */
    private record Turn(double first, double end) {}

    @Override
    public String name() {
        return "engines";
    }

    @Override
    public String description() {
        return "first and later turns of each installed engine, and its memory";
    }

    @Override
    public void run(Measurement measurement) throws Exception {
        boolean found = false;
        for (var engine : RealEngine.ALL) {
            var program = engine.find();
            if (program.isPresent()) {
                found = true;
                measure(measurement, engine, program.get());
            }
        }
        if (!found) {
            throw new SkippedException("no engine is installed; run ./check, which installs them");
        }
    }

    private static void measure(Measurement measurement, RealEngine engine, Path program)
            throws Exception {
        var model = measurement.own(new ModelApi());
        var server = measurement.server(engine.settings(program, model.url()));
        var firsts = new ArrayList<Turn>();
        var laters = new ArrayList<Turn>();
        var memory = new ArrayList<Double>();
        int sessions = measurement.samples(10, MIN_SESSIONS);
        try (var connection = server.connect()) {
            for (int i = 0; i < sessions; i++) {
                measurement.progress("%s: session %d of %d", engine.name(), i + 1, sessions);
                server.awaitWarm(1);
                var session = server.session();
                firsts.add(turn(connection, session));
                for (int later = 0; later < LATER_TURNS; later++) {
                    laters.add(turn(connection, session));
                }
                memory.add(memory(server));
                session.end();
            }
        } finally {
            measurement.release(server);
            measurement.release(model);
        }
        record(measurement, engine.name() + ": first event of turn 1", firsts, true);
        record(measurement, engine.name() + ": whole turn 1", firsts, false);
        record(measurement, engine.name() + ": first event of a later turn", laters, true);
        record(measurement, engine.name() + ": whole later turn", laters, false);
        measurement.record(
                Figure.of(
                        engine.name() + ": private memory of its processes",
                        Figure.OWN,
                        Unit.MEGABYTES,
                        memory));
    }

    private static void record(
            Measurement measurement, String name, List<Turn> turns, boolean first) {
        var values = turns.stream().map(turn -> first ? turn.first() : turn.end()).toList();
        measurement.record(Figure.millis(name, Figure.OWN, values));
    }

    private static Turn turn(ApiConnection connection, BenchSession session) throws IOException {
        long begin = System.nanoTime();
        connection.send("POST", session.path() + "/messages", "{\"content\":\"Is it?\"}");
        long first = connection.awaitLine("event: message");
        long end = 0;
        for (var line = connection.nextLine(); line != null; line = connection.nextLine()) {
            if (line.startsWith("data: {\"type\":\"result\"")) {
                end = System.nanoTime();
            }
        }
        if (end == 0) {
            throw new IOException("the turn has no result");
        }
        return new Turn((first - begin) / 1e6, (end - begin) / 1e6);
    }

    /** Returns the memory of all processes in the only used sandbox, except for its bridge. */
    private static double memory(BenchServer server) throws IOException {
        double sum = 0;
        for (var bridge : Bridges.of(server)) {
            var processes =
                    ProcessHandle.of(bridge.pid()).stream()
                            .flatMap(ProcessHandle::descendants)
                            .toList();
            for (var process : processes) {
                sum += ProcessMemory.privateMemory(process.pid());
            }
        }
        return sum;
    }
}
