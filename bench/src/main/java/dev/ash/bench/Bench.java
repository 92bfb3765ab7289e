package dev.ash.bench;

import dev.ash.bench.compare.Compare;
import java.util.Arrays;
import java.util.List;

/** The main class of {@code ./ash bench}. */
public final class Bench {
    public static void main(String[] args) throws Exception {
        System.setProperty("slf4j.internal.verbosity", "ERROR"); // of the database driver
        var arguments = Arrays.asList(args);
        if (!arguments.isEmpty() && arguments.getFirst().equals("compare")) {
            System.exit(Compare.run(arguments.subList(1, arguments.size())));
        }
        System.exit(run(arguments));
    }

    static int run(List<String> arguments) throws Exception {
        return new BenchCommand(System.out, System.err).run(arguments);
    }

    private Bench() {}
}
