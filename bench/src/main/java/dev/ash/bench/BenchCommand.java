package dev.ash.bench;

import dev.ash.bench.report.Comparison;
import dev.ash.bench.report.DocsTable;
import dev.ash.bench.report.Report;
import dev.ash.bench.report.TextTable;
import dev.ash.bench.result.Measured;
import dev.ash.bench.result.Result;
import dev.ash.bench.run.Benchmark;
import dev.ash.bench.run.Cleanup;
import dev.ash.bench.run.Machine;
import dev.ash.bench.run.Measurement;
import dev.ash.bench.run.Options;
import dev.ash.bench.run.Progress;
import dev.ash.bench.run.SkippedException;
import dev.ash.bench.server.Installation;
import dev.ash.bench.server.WorkDirectory;
import java.io.IOException;
import java.io.PrintStream;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Runs benchmarks and writes the report. */
final class BenchCommand {
    private static final int FAILED = 1;
    private static final int USAGE = 2;

    private final PrintStream out;
    private final PrintStream err;
    private final Installation installation;
    private final Report report;
    private final Set<String> failed = new HashSet<>();

    BenchCommand(PrintStream out, PrintStream err, Installation installation, Report report) {
        this.out = out;
        this.err = err;
        this.installation = installation;
        this.report = report;
    }

    int run(List<String> arguments) throws Exception {
        Options options;
        Result before;
        try {
            options = Options.parse(arguments, Catalog.names());
            before = before(options);
        } catch (IllegalArgumentException e) {
            err.println("ash bench: " + e.getMessage());
            return USAGE;
        }
        return switch (options.action()) {
            case HELP -> {
                out.print(Options.HELP);
                yield 0;
            }
            case LIST -> {
                list();
                yield 0;
            }
            case MEASURE -> measure(options, before);
        };
    }

    private Result before(Options options) throws IOException {
        return options.compare().isPresent() ? Result.read(options.compare().get()) : report.read();
    }

    private void list() {
        for (var benchmark : Catalog.all()) {
            out.printf(
                    "%-13s %s%s%n",
                    benchmark.name(),
                    benchmark.description(),
                    benchmark.isOnRequest() ? " (on request)" : "");
        }
    }

    private int measure(Options options, Result before) throws Exception {
        if (options.updatesDocs() && options.names().isEmpty()) {
            updateDocs(report.read());
            return 0;
        }
        var measured = measureAll(options);
        var succeeded = measured.stream().filter(m -> !failed.contains(m.benchmark())).toList();
        var result = report.read().update(succeeded, Catalog.names());
        report.write(result);
        var changes = Comparison.of(before, succeeded);
        if (options.isJson()) {
            out.print(new Result(measured).toJson());
        } else {
            out.println();
            out.print(TextTable.terminal(measured));
            print(changes);
            out.println("\nReport: " + report.directory().resolve("index.html"));
        }
        if (options.updatesDocs()) {
            updateDocs(result);
        }
        boolean isWorse = changes.stream().anyMatch(Comparison.Change::isRegression);
        return !failed.isEmpty() || (isWorse && options.failsOnRegression()) ? FAILED : 0;
    }

    private void updateDocs(Result result) throws IOException {
        DocsTable.update(installation.root().resolve("docs/performance.md"), result);
    }

    private List<Measured> measureAll(Options options) throws Exception {
        var measured = new ArrayList<Measured>();
        boolean isTerminal = System.getProperty("ash.terminals", "").contains("2");
        var progress = new Progress(err, isTerminal);
        try (var cleanup = Cleanup.atExit()) {
            var work = cleanup.add(WorkDirectory.create());
            var first = new Measurement(options, installation, work, cleanup, progress);
            for (var benchmark : chosen(options)) {
                progress.begin(benchmark.name());
                measured.add(measure(benchmark, first.next(), cleanup));
                progress.end();
            }
        }
        return measured;
    }

    private static List<Benchmark> chosen(Options options) {
        return Catalog.all().stream()
                .filter(
                        benchmark ->
                                options.names().isEmpty()
                                        ? !benchmark.isOnRequest()
                                        : options.names().contains(benchmark.name()))
                .toList();
    }

    private Measured measure(Benchmark benchmark, Measurement measurement, Cleanup cleanup)
            throws Exception {
        var skipped = "";
        try {
            benchmark.run(measurement);
        } catch (SkippedException e) {
            skipped = String.valueOf(e.getMessage());
        } catch (InterruptedException e) {
            throw e;
        } catch (Exception e) {
            if (cleanup.isClosed()) {
                throw new InterruptedException("terminated");
            }
            failed.add(benchmark.name());
            skipped = "failed: " + e;
            err.println("ash bench: " + benchmark.name() + " failed: " + e);
            e.printStackTrace(err);
        }
        return new Measured(
                benchmark.name(),
                Machine.commit(installation.root()),
                Instant.now().truncatedTo(ChronoUnit.SECONDS).toString(),
                Machine.describe(),
                skipped,
                measurement.figures(),
                measurement.curves());
    }

    private void print(List<Comparison.Change> changes) {
        if (changes.isEmpty()) {
            out.println("\nNo change to the earlier result that is larger than the noise.");
            return;
        }
        out.println("\nCompared with the earlier result:");
        for (var change : changes) {
            out.printf(
                    "  %s: %s: %s, before %s: %+.0f %% (%s)%n",
                    change.benchmark(),
                    change.figure(),
                    Measurement.number(change.now()),
                    Measurement.number(change.before()),
                    100 * (change.now() / change.before() - 1),
                    change.isRegression() ? "REGRESSION" : "better");
        }
    }
}
