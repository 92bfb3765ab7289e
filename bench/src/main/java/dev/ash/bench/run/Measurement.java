package dev.ash.bench.run;

import com.google.errorprone.annotations.FormatMethod;
import dev.ash.bench.result.Curve;
import dev.ash.bench.result.Figure;
import dev.ash.bench.result.Verdict;
import dev.ash.bench.server.BenchServer;
import dev.ash.bench.server.Installation;
import dev.ash.bench.server.ServerSettings;
import dev.ash.bench.server.WorkDirectory;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** One run of a benchmark: its options, its servers and the figures that it has recorded. */
public final class Measurement {
    private static final int STANDARD_RUNS = 100;

    private final Options options;
    private final Installation installation;
    private final WorkDirectory work;
    private final Cleanup cleanup;
    private final Progress progress;
    private final Map<ServerSettings, BenchServer> shared;
    private final List<Figure> figures = new ArrayList<>();
    private final List<Curve> curves = new ArrayList<>();

    public Measurement(
            Options options,
            Installation installation,
            WorkDirectory work,
            Cleanup cleanup,
            Progress progress) {
        this(options, installation, work, cleanup, progress, new HashMap<>());
    }

    private Measurement(
            Options options,
            Installation installation,
            WorkDirectory work,
            Cleanup cleanup,
            Progress progress,
            Map<ServerSettings, BenchServer> shared) {
        this.options = options;
        this.installation = installation;
        this.work = work;
        this.cleanup = cleanup;
        this.progress = progress;
        this.shared = shared;
    }

    /** Returns the measurement of the next benchmark, which uses the same shared servers. */
    public Measurement next() {
        return new Measurement(options, installation, work, cleanup, progress, shared);
    }

    /** Scales a number of samples by {@code --runs}; at least {@code min}. */
    public int samples(int standard, int min) {
        return Math.max(min, (int) Math.round((double) standard * options.runs() / STANDARD_RUNS));
    }

    public int samples(int standard) {
        return samples(standard, 1);
    }

    public Installation installation() {
        return installation;
    }

    public Optional<Path> compareDist() {
        return options.compareDist();
    }

    public WorkDirectory work() {
        return work;
    }

    @FormatMethod
    public void progress(String format, Object... values) {
        progress.show(format.formatted(values));
    }

    /** Returns a server with these settings that other benchmarks of this run use too. */
    public BenchServer sharedServer(ServerSettings settings)
            throws IOException, InterruptedException {
        var running = shared.get(settings);
        if (running != null) {
            return running;
        }
        var server = server(settings);
        shared.put(settings, server);
        return server;
    }

    /** Starts a server for this benchmark alone. */
    public BenchServer server(ServerSettings settings) throws IOException, InterruptedException {
        progress.show("starting a server");
        return settings.start(installation, work, cleanup::add);
    }

    /** Closes the resource with this run, also if the program is terminated. */
    public <T extends AutoCloseable> T own(T resource) {
        return cleanup.add(resource);
    }

    public void release(AutoCloseable resource) {
        cleanup.release(resource);
    }

    public void record(Figure figure) {
        figures.add(figure);
    }

    public void record(Curve curve) {
        curves.add(curve);
    }

    public List<Figure> figures() {
        return List.copyOf(figures);
    }

    public List<Curve> curves() {
        return List.copyOf(curves);
    }

    /** Formats a number for notes. */
    public static String number(double value) {
        return Verdict.number(value);
    }
}
