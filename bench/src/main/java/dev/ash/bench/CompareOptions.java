package dev.ash.bench;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What {@link Compare} was asked to do.
 *
 * @param before the {@code dist} folder of the old build
 * @param after that of the new one
 * @param limit by how many percent of the old median the new build may be slower
 */
record CompareOptions(Path before, Path after, int pairs, int warmUp, int prewarm, double limit) {
    static final String HELP =
            """
            Compares the latency of two builds, in pairs that alternate between their servers.

              java -cp 'dist/bench/*' dev.ash.bench.Bench compare --old DIR --new DIR [option …]

              --old DIR      a built checkout, the one to compare with: it has a folder dist
              --new DIR      a built checkout, the one in question; may be the same, to see the noise
              --pairs N      how many pairs are measured, 6 to 1000 (60)
              --warm-up N    how many pairs come before and do not count, 0 to 1000 (10)
              --prewarm N    ASH_PREWARM of both servers (0)
              --limit P      how much slower the new build may be, in percent of the old median (10)

            Both servers run at the same time on data directories of their own, with the demo engine
            and with isolation required: run it as the user that the server runs as, root included.
            The bounds are those of a 95 % confidence interval of the median difference. The exit
            code is 0 if the upper bound is within the limit for create and both messages, else 1.
            """;

    private static final Set<String> NAMES =
            Set.of("--old", "--new", "--pairs", "--warm-up", "--prewarm", "--limit");

    static CompareOptions parse(List<String> arguments) {
        var values = new HashMap<String, String>();
        for (int i = 0; i < arguments.size(); i += 2) {
            var name = arguments.get(i);
            if (!NAMES.contains(name)) {
                throw new IllegalArgumentException("There is no option \"" + name + "\"");
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
        var named = values.get(name);
        if (named == null) {
            throw new IllegalArgumentException(name + " must name a built checkout");
        }
        var dist = Path.of(named).toAbsolutePath().normalize().resolve("dist");
        if (!Files.isDirectory(dist.resolve("server"))) {
            throw new IllegalArgumentException(
                    "%s has no folder dist/server; build it first".formatted(named));
        }
        return dist;
    }

    private static int number(Map<String, String> values, String name, int otherwise, int least) {
        var text = values.getOrDefault(name, Integer.toString(otherwise));
        try {
            int number = Integer.parseInt(text);
            if (number >= least && number <= 1000) {
                return number;
            }
        } catch (NumberFormatException e) {
            // reported below
        }
        throw new IllegalArgumentException(
                "%s must be a whole number from %d to 1000".formatted(name, least));
    }
}
