package dev.ash.bench;

import java.io.IOException;
import java.sql.SQLException;
import java.util.regex.Pattern;

/**
 * One event alone, from the bridge's write to the watcher's read. The bridge notes the time on the
 * clock that {@link System#nanoTime} reads too: CLOCK_MONOTONIC, which Linux shares between
 * processes.
 */
final class Publish {
    private static final Pattern AT = Pattern.compile("\"at\":(\\d+)");
    private static final int WARM_UP = 1500;
    private static final int SAMPLES = 1000;
    private static final double TARGET_MS = 1.0;

    static void run() throws IOException, InterruptedException, SQLException {
        var samples = new double[SAMPLES];
        var commits = new double[SAMPLES];
        try (var server = BenchServer.start();
                var inserts = PlainInserts.into(server.folder().resolve("plain.db"));
                var watcher = server.watch(0)) {
            measure(server, watcher, new double[WARM_UP], 1);
            measure(server, watcher, samples, 3);
            for (int i = 0; i < SAMPLES; i++) {
                commits[i] = inserts.commitMillis();
            }
        }
        var figures = new Figures(samples);
        System.out.printf(
                "one event from the bridge's write to the watcher's read: p50 %.2f ms, p95 %.2f ms, p99 %.2f ms, best %.2f ms%n",
                figures.median(), figures.percentile(95), figures.percentile(99), figures.worst());
        System.out.printf(
                "plain SQLite insert and commit alone: p50 %.2f ms%n",
                new Figures(commits).median());
        System.out.printf(
                "target p50 %.1f ms: %s%n",
                TARGET_MS, figures.median() <= TARGET_MS ? "met" : "NOT met");
    }

    private static void measure(
            BenchServer server, EventReader watcher, double[] samples, int gapMs)
            throws IOException, InterruptedException {
        server.ask("PUBLISH %d %d".formatted(samples.length, gapMs));
        for (int i = 0; i < samples.length; i++) {
            var event = watcher.next();
            long now = System.nanoTime();
            var at = AT.matcher(event.data());
            if (!at.find()) {
                throw new IOException("no time in " + event.data());
            }
            samples[i] = (now - Long.parseLong(at.group(1))) / 1e6;
            if (samples[i] < 0 || samples[i] > 60_000) {
                throw new IOException("the two processes do not share a clock");
            }
        }
        watcher.nextId(); // done
    }

    private Publish() {}
}
