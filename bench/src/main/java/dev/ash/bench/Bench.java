package dev.ash.bench;

import dev.ash.bench.compare.Compare;
import dev.ash.bench.report.Report;
import dev.ash.bench.server.Installation;
import java.nio.file.Path;
import java.util.Arrays;

/** The main class of {@code ./ash bench}. */
public final class Bench {
    public static void main(String[] args) throws Exception {
        System.setProperty("slf4j.internal.verbosity", "ERROR"); // of the database driver
        var arguments = Arrays.asList(args);
        if (!arguments.isEmpty() && arguments.getFirst().equals("compare")) {
            System.exit(Compare.run(arguments.subList(1, arguments.size())));
        }
        var installation = Installation.find();
        var directory = System.getProperty("ash.bench.report");
        var report =
                new Report(
                        directory == null
                                ? installation.root().resolve("bench/report")
                                : Path.of(directory));
        var command = new BenchCommand(System.out, System.err, installation, report);
        try {
            System.exit(command.run(arguments));
        } catch (InterruptedException e) {
            // terminated by Ctrl-C, and already cleaned up
        }
    }

    private Bench() {}
}
