package dev.ash.bench;

import java.io.IOException;
import java.sql.SQLException;

/**
 * A bridge says ten thousand messages at once; one watcher sees all of them, each committed before
 * it is shown. Beside it, in the same rounds, what the disk and SQLite alone would take.
 */
final class Burst {
    private static final int EVENTS = 10_000;
    private static final int WARM_UP = 5;
    private static final int ROUNDS = 10;
    private static final int TARGET = 20_000;

    static void run() throws IOException, InterruptedException, SQLException {
        var rates = new double[ROUNDS];
        var plain = new double[ROUNDS];
        try (var server = BenchServer.start();
                var inserts = PlainInserts.into(server.folder().resolve("plain.db"))) {
            measure(server.session(), inserts, rates, plain);
        }
        report(new Figures(rates), new Figures(plain));
    }

    private static void measure(
            BenchSession session, PlainInserts inserts, double[] rates, double[] plain)
            throws IOException, InterruptedException, SQLException {
        try (var watcher = session.watch(0)) {
            System.out.printf(
                    "first burst of a cold server: %,.0f events/s%n", round(session, watcher));
            for (int i = 1; i < WARM_UP; i++) {
                round(session, watcher);
                inserts.perSecond(EVENTS);
            }
            for (int i = 0; i < ROUNDS; i++) {
                rates[i] = round(session, watcher);
                plain[i] = inserts.perSecond(EVENTS);
                System.out.printf(
                        "round %2d: %,9.0f events/s, plain inserts %,9.0f/s%n",
                        i + 1, rates[i], plain[i]);
            }
        }
    }

    private static void report(Figures rates, Figures plain) {
        System.out.printf(
                "burst of %,d stored events to one watcher: median %,.0f events/s (%,.0f to %,.0f)%n",
                EVENTS, rates.median(), rates.worst(), rates.best());
        System.out.printf(
                "plain SQLite inserts, 256 a commit: median %,.0f/s; ratio %.2f%n",
                plain.median(), rates.median() / plain.median());
        System.out.printf(
                "target %,d events/s: %s%n", TARGET, rates.median() >= TARGET ? "met" : "NOT met");
    }

    /** Events a second from the first to the last one seen; fails on a gap or a repeat. */
    private static double round(BenchSession session, EventReader watcher)
            throws IOException, InterruptedException {
        session.ask("BURST " + EVENTS);
        long first = watcher.nextId();
        long begin = System.nanoTime();
        for (long id = first + 1; id < first + EVENTS; id++) {
            long seen = watcher.nextId();
            if (seen != id) {
                throw new IOException("event %d came where %d was due".formatted(seen, id));
            }
        }
        long took = System.nanoTime() - begin;
        watcher.nextId(); // done
        return (EVENTS - 1) * 1e9 / took;
    }

    private Burst() {}
}
