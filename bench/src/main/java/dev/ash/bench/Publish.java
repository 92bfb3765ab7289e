package dev.ash.bench;

import java.io.IOException;
import java.sql.SQLException;
import java.util.regex.Pattern;

/**
 * Measures the latency of a single event from the bridge's write to its publication after the
 * commit, and to the read of a subscriber. The bridge records the time of {@code CLOCK_MONOTONIC},
 * which {@link System#nanoTime} uses too and which Linux shares between processes.
 */
final class Publish {
    private static final Pattern AT = Pattern.compile("\"at\":(\\d+)");
    private static final int WARM_UP = 1500;
    private static final int SAMPLES = 1000;
    private static final int GAP_MS = 3;
    private static final double TARGET_MS = 1.0;

    static void run() throws IOException, InterruptedException, SQLException {
        var written = new long[SAMPLES];
        var read = new long[SAMPLES];
        var commits = new double[SAMPLES];
        long[] published;
        try (var server = BenchServer.start();
                var inserts = PlainInserts.into(server.directory().resolve("plain.db"))) {
            var session = server.session();
            try (var subscriber = session.subscribe(0)) {
                measure(session, subscriber, new long[WARM_UP], new long[WARM_UP], 1);
                measure(session, subscriber, written, read, GAP_MS);
            }
            published = matchPublished(written, server.published());
            for (int i = 0; i < SAMPLES; i++) {
                Thread.sleep(GAP_MS); // an idle disk is slower
                commits[i] = inserts.commitMillis();
            }
        }
        var toPublish = print("from the bridge's write to its publication", written, published);
        print("from the bridge's write to the subscriber's read", written, read);
        System.out.printf(
                "plain SQLite insert and commit with the same interval: p50 %.2f ms%n",
                new Statistics(commits).median());
        System.out.printf(
                "target p50 %.1f ms to publication: %s%n",
                TARGET_MS, toPublish.median() <= TARGET_MS ? "met" : "NOT met");
    }

    private static Statistics print(String label, long[] from, long[] to) throws IOException {
        var millis = new double[from.length];
        for (int i = 0; i < from.length; i++) {
            millis[i] = (to[i] - from[i]) / 1e6;
            if (millis[i] < 0 || millis[i] > 60_000) {
                throw new IOException("the processes do not share a clock");
            }
        }
        var statistics = new Statistics(millis);
        System.out.printf(
                "one event %s: p50 %.2f ms, p95 %.2f ms, p99 %.2f ms, best %.2f ms%n",
                label,
                statistics.median(),
                statistics.percentile(95),
                statistics.percentile(99),
                statistics.min());
        return statistics;
    }

    /** Matches publications to writes: events are published in order, with almost no others. */
    static long[] matchPublished(long[] written, long[] published) throws IOException {
        var first = new long[written.length];
        int next = 0;
        for (int i = 0; i < written.length; i++) {
            while (next < published.length && published[next] < written[i]) {
                next++;
            }
            if (next == published.length) {
                throw new IOException("an event was read but not published");
            }
            first[i] = published[next++];
        }
        return first;
    }

    static void measure(
            BenchSession session, EventReader subscriber, long[] written, long[] read, int gapMs)
            throws IOException, InterruptedException {
        session.prompt("PUBLISH %d %d".formatted(written.length, gapMs));
        for (int i = 0; i < written.length; i++) {
            var event = subscriber.next();
            read[i] = System.nanoTime();
            var at = AT.matcher(event.data());
            if (!at.find()) {
                throw new IOException("no time in " + event.data());
            }
            written[i] = Long.parseLong(at.group(1));
        }
        subscriber.nextId(); // done
    }

    private Publish() {}
}
