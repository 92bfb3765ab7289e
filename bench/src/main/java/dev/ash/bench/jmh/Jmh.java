package dev.ash.bench.jmh;

import dev.ash.bench.result.Figure;
import dev.ash.bench.result.Unit;
import dev.ash.bench.run.Benchmark;
import dev.ash.bench.run.Measurement;
import dev.ash.bench.server.Installation;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Runs the JMH benchmarks of codecs, framing and the event log in other processes. */
public final class Jmh implements Benchmark {
    @Override
    public String name() {
        return "jmh";
    }

    @Override
    public String description() {
        return "JMH: bridge protocol, JSON lines, event-stream frames and the event log";
    }

    @Override
    public void run(Measurement measurement) throws Exception {
        var directory = measurement.work().directory("jmh");
        var result = directory.resolve("result.json");
        var process = launch(measurement, directory, result);
        measurement.own(process::destroy);
        measurement.progress("running");
        if (process.waitFor() != 0 || !Files.exists(result)) {
            throw new IOException("JMH failed: " + Files.readString(directory.resolve("log")));
        }
        for (var each : new JsonMapper().readTree(Files.readString(result))) {
            measurement.record(
                    Figure.of(label(each), "", Unit.MICROSECONDS, iterations(each))
                            .note("per operation; one value per iteration"));
        }
    }

    private static Process launch(Measurement measurement, Path directory, Path result)
            throws IOException {
        var installation = measurement.installation();
        var classPath =
                String.join(
                        File.pathSeparator,
                        Installation.codeSource().toString(),
                        installation.classPath("bench"),
                        installation.classPath("server"),
                        installation.classPath("cli"));
        return new ProcessBuilder(
                        Installation.java().toString(),
                        "-cp",
                        classPath,
                        JmhMain.class.getName(),
                        result.toString(),
                        Integer.toString(measurement.samples(20, 2)))
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("log").toFile())
                .start();
    }

    /** Returns the method as words: {@code decodeBridgeEvent} is "decode bridge event". */
    private static String label(JsonNode benchmark) {
        return benchmark
                .path("benchmark")
                .asString()
                .replaceFirst(".*\\.", "")
                .replaceAll("(?<=[a-z])(?=[A-Z])", " ")
                .toLowerCase(Locale.ROOT);
    }

    private static List<Double> iterations(JsonNode benchmark) {
        var values = new ArrayList<Double>();
        for (var fork : benchmark.at("/primaryMetric/rawData")) {
            fork.forEach(value -> values.add(value.asDouble()));
        }
        return values;
    }
}
