package dev.ash.bench;

import java.io.IOException;
import java.sql.SQLException;
import java.util.regex.Pattern;

/**
 * One event alone, from the bridge's write to its publication after the commit, and to the read of
 * a watcher on a connection of its own. The bridge notes the time on the clock that {@link
 * System#nanoTime} reads too: CLOCK_MONOTONIC, which Linux shares between processes.
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
                var inserts = PlainInserts.into(server.folder().resolve("plain.db"))) {
            var session = server.session();
            try (var watcher = session.watch(0)) {
                measure(session, watcher, new long[WARM_UP], new long[WARM_UP], 1);
                measure(session, watcher, written, read, GAP_MS);
            }
            published = firstAfter(written, server.published());
            for (int i = 0; i < SAMPLES; i++) {
                Thread.sleep(GAP_MS); // a disk that was idle is slower
                commits[i] = inserts.commitMillis();
            }
        }
        var toPublish = print("from the bridge's write to its publication", written, published);
        print("from the bridge's write to the watcher's read", written, read);
        System.out.printf(
                "plain SQLite insert and commit alone, as far apart: p50 %.2f ms%n",
                new Figures(commits).median());
        System.out.printf(
                "target p50 %.1f ms to publication: %s%n",
                TARGET_MS, toPublish.median() <= TARGET_MS ? "met" : "NOT met");
    }

    private static Figures print(String what, long[] from, long[] to) throws IOException {
        var millis = new double[from.length];
        for (int i = 0; i < from.length; i++) {
            millis[i] = (to[i] - from[i]) / 1e6;
            if (millis[i] < 0 || millis[i] > 60_000) {
                throw new IOException("the processes do not share a clock");
            }
        }
        var figures = new Figures(millis);
        System.out.printf(
                "one event %s: p50 %.2f ms, p95 %.2f ms, p99 %.2f ms, best %.2f ms%n",
                what,
                figures.median(),
                figures.percentile(95),
                figures.percentile(99),
                figures.worst());
        return figures;
    }

    /** Events are published in the order of their writes, and hardly anything else is meanwhile. */
    static long[] firstAfter(long[] written, long[] published) throws IOException {
        var first = new long[written.length];
        int next = 0;
        for (int i = 0; i < written.length; i++) {
            while (next < published.length && published[next] < written[i]) {
                next++;
            }
            if (next == published.length) {
                throw new IOException("an event that was read was not published");
            }
            first[i] = published[next++];
        }
        return first;
    }

    static void measure(
            BenchSession session, EventReader watcher, long[] written, long[] read, int gapMs)
            throws IOException, InterruptedException {
        session.ask("PUBLISH %d %d".formatted(written.length, gapMs));
        for (int i = 0; i < written.length; i++) {
            var event = watcher.next();
            read[i] = System.nanoTime();
            var at = AT.matcher(event.data());
            if (!at.find()) {
                throw new IOException("no time in " + event.data());
            }
            written[i] = Long.parseLong(at.group(1));
        }
        watcher.nextId(); // done
    }

    private Publish() {}
}
