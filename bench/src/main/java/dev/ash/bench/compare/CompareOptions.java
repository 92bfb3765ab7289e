package dev.ash.bench.compare;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The options of {@link Compare}.
 *
 * @param before the {@code dist} directory of the old build
 * @param after the {@code dist} directory of the new build
 * @param limit the maximum slowdown of the new build, in percent of the old median
 */
record CompareOptions(Path before, Path after, int pairs, int warmUp, int prewarm, double limit) {
    static final String HELP =
            """
            Compares the latency and the event throughput of two builds, in pairs that alternate
            between their servers.

              ./ash bench compare --old DIR --new DIR [option …]

              --old DIR      the checkout of the old build, with a directory dist
              --new DIR      the checkout of the new build; may be the same, to measure the noise
              --pairs N      number of measured pairs, 6 to 1000 (60)
              --warm-up N    number of warm-up pairs, 0 to 1000 (10)
              --prewarm N    ASH_PREWARM of both servers (0)
              --limit P      maximum slowdown of the new build, in percent of the old median (10)

            Both servers run concurrently with separate data directories and the demo engine, and
            require isolation: run the benchmark as the user of the server, also if that is root.
            The bounds are those of a 95 % confidence interval of the median difference. The exit
            code is 0 if the upper bound is within the limit for create, messages and events, else 1.
            """;

    private static final Set<String> NAMES =
            Set.of("--old", "--new", "--pairs", "--warm-up", "--prewarm", "--limit");

    static CompareOptions parse(List<String> arguments) {
        var values = new HashMap<String, String>();
        for (int i = 0; i < arguments.size(); i += 2) {
            var name = arguments.get(i);
            if (!NAMES.contains(name)) {
                throw new IllegalArgumentException("Unknown option \"" + name + "\"");
            }
            if (i + 1 == arguments.size()) {
                throw new IllegalArgumentException(name + " needs a value");
            }
            values.put(name, arguments.get(i + 1));
        }
        return new CompareOptions(
                dist(values, "--old"),
                dist(values, "--new"),
                number(values, "--pairs", 60, 6),
                number(values, "--warm-up", 10, 0),
                number(values, "--prewarm", 0, 0),
                number(values, "--limit", 10, 0));
    }

    private static Path dist(Map<String, String> values, String name) {
        var path = values.get(name);
        if (path == null) {
            throw new IllegalArgumentException(name + " must be the path of a built checkout");
        }
        var dist = Path.of(path).toAbsolutePath().normalize().resolve("dist");
        if (!Files.isDirectory(dist.resolve("server"))) {
            throw new IllegalArgumentException(
                    "%s has no directory dist/server; build it first".formatted(path));
        }
        return dist;
    }

    private static int number(Map<String, String> values, String name, int defaultValue, int min) {
        var text = values.getOrDefault(name, Integer.toString(defaultValue));
        try {
            int number = Integer.parseInt(text);
            if (number >= min && number <= 1000) {
                return number;
            }
        } catch (NumberFormatException e) {
            // reported below
        }
        throw new IllegalArgumentException(
                "%s must be a whole number from %d to 1000".formatted(name, min));
    }
}
