package dev.ash.bench.run;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The arguments of {@code ash bench}.
 *
 * @param runs the number of samples of a cheap figure; other counts scale with it
 * @param compare an earlier result, if named
 * @param compareDist the {@code dist} directory of an older build, if named
 */
public record Options(
        List<String> names,
        int runs,
        boolean isJson,
        Optional<Path> compare,
        Optional<Path> compareDist,
        boolean failsOnRegression,
        boolean updatesDocs,
        Action action) {
    private static final int DEFAULT_RUNS = 100;
    private static final int MAX_RUNS = 10_000;

    /** What the command does. */
    public enum Action {
        MEASURE,
        LIST,
        HELP
    }

    public static final String HELP =
            """
            Measures the installed programs on this machine, each figure with its floor.

              ./ash bench [NAME…] [option …]

              NAME                   benchmarks to run; without a name, all but those on request
              --runs N               number of samples of a cheap figure, 1 to 10000 (100);
                                     other counts scale with it
              --json                 print the result as JSON, and nothing else
              --compare FILE         compare with this earlier result
                                     (default: bench/report/result.json before the run)
              --fail-on-regression   exit with 1 if a figure is worse than before
              --compare-dist DIR     the dist directory of an older build, which alternates with
                                     this one in `bridge-start`
              --docs                 write the table of docs/performance.md; without a name, only
                                     that: nothing is measured
              --list                 list the benchmarks
              --help                 this text

            The report is written to bench/report: index.html, *.svg and result.json. A run of some
            benchmarks replaces only their results. Two builds are compared in alternating pairs by
            ./ash bench compare --old DIR --new DIR; compare --help lists its options.

            Exit codes: 0, 1 if a benchmark failed, 2 for invalid arguments.
            """;

    public Options {
        names = List.copyOf(names);
    }

    /** Throws {@link IllegalArgumentException} with a message for the user. */
    public static Options parse(List<String> arguments, List<String> known) {
        var names = new ArrayList<String>();
        int runs = DEFAULT_RUNS;
        boolean isJson = false;
        boolean fails = false;
        boolean docs = false;
        Optional<Path> compare = Optional.empty();
        Optional<Path> dist = Optional.empty();
        var action = Action.MEASURE;
        var rest = new ArrayList<>(arguments);
        while (!rest.isEmpty()) {
            var argument = rest.removeFirst();
            switch (argument) {
                case "--runs" -> runs = runs(value(argument, rest));
                case "--json" -> isJson = true;
                case "--compare" -> compare = Optional.of(file(value(argument, rest)));
                case "--compare-dist" -> dist = Optional.of(dist(value(argument, rest)));
                case "--fail-on-regression" -> fails = true;
                case "--docs" -> docs = true;
                case "--list" -> action = Action.LIST;
                case "--help", "-h" -> action = Action.HELP;
                default -> names.add(name(argument, known));
            }
        }
        return new Options(names, runs, isJson, compare, dist, fails, docs, action);
    }

    private static String name(String argument, List<String> known) {
        if (argument.startsWith("-")) {
            throw new IllegalArgumentException(
                    "unknown option \"%s\"; --help lists the options".formatted(argument));
        }
        if (!known.contains(argument)) {
            throw new IllegalArgumentException(
                    "unknown benchmark \"%s\"; expected one of: %s"
                            .formatted(argument, String.join(", ", known)));
        }
        return argument;
    }

    private static String value(String option, List<String> rest) {
        if (rest.isEmpty()) {
            throw new IllegalArgumentException(option + " needs a value; --help lists the options");
        }
        return rest.removeFirst();
    }

    private static int runs(String text) {
        try {
            int runs = Integer.parseInt(text);
            if (runs >= 1 && runs <= MAX_RUNS) {
                return runs;
            }
        } catch (NumberFormatException e) {
            // reported below
        }
        throw new IllegalArgumentException(
                "--runs is \"%s\"; it must be a whole number from 1 to %d"
                        .formatted(text, MAX_RUNS));
    }

    private static Path file(String text) {
        var file = Path.of(text).toAbsolutePath();
        if (!Files.isReadable(file)) {
            throw new IllegalArgumentException(
                    "--compare: %s is not a readable file; it must be a result.json of an earlier run"
                            .formatted(text));
        }
        return file;
    }

    private static Path dist(String text) {
        var dist = Path.of(text).toAbsolutePath().normalize();
        if (!Files.isDirectory(dist.resolve("server"))) {
            throw new IllegalArgumentException(
                    "--compare-dist: %s has no directory server; build that version first"
                            .formatted(text));
        }
        return dist;
    }
}
