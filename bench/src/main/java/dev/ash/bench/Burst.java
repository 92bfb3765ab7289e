package dev.ash.bench;

import java.io.IOException;
import java.sql.SQLException;

/**
 * Measures the throughput of a burst of 10,000 messages from a bridge to one subscriber, each
 * committed before it is published. Each round also measures plain SQLite inserts for comparison.
 */
final class Burst {
    static final int EVENTS = 10_000;
    private static final int WARM_UP = 5;
    private static final int ROUNDS = 10;
    private static final int TARGET = 20_000;

    static void run() throws IOException, InterruptedException, SQLException {
        var rates = new double[ROUNDS];
        var plain = new double[ROUNDS];
        try (var server = BenchServer.start();
                var inserts = PlainInserts.into(server.directory().resolve("plain.db"))) {
            measure(server.session(), inserts, rates, plain);
        }
        report(new Statistics(rates), new Statistics(plain));
    }

    private static void measure(
            BenchSession session, PlainInserts inserts, double[] rates, double[] plain)
            throws IOException, InterruptedException, SQLException {
        try (var subscriber = session.subscribe(0)) {
            System.out.printf(
                    "first burst of a cold server: %,.0f events/s%n", round(session, subscriber));
            for (int i = 1; i < WARM_UP; i++) {
                round(session, subscriber);
                inserts.perSecond(EVENTS);
            }
            for (int i = 0; i < ROUNDS; i++) {
                rates[i] = round(session, subscriber);
                plain[i] = inserts.perSecond(EVENTS);
                System.out.printf(
                        "round %2d: %,9.0f events/s, plain inserts %,9.0f/s%n",
                        i + 1, rates[i], plain[i]);
            }
        }
    }

    private static void report(Statistics rates, Statistics plain) {
        System.out.printf(
                "burst of %,d stored events to one subscriber: median %,.0f events/s (%,.0f to %,.0f)%n",
                EVENTS, rates.median(), rates.min(), rates.max());
        System.out.printf(
                "plain SQLite inserts, 256 per commit: median %,.0f/s; ratio %.2f%n",
                plain.median(), rates.median() / plain.median());
        System.out.printf(
                "target %,d events/s: %s%n", TARGET, rates.median() >= TARGET ? "met" : "NOT met");
    }

    /** Returns the events per second from the first to the last one; fails on a gap or repeat. */
    static double round(BenchSession session, EventReader subscriber)
            throws IOException, InterruptedException {
        session.prompt("BURST " + EVENTS);
        long first = subscriber.nextId();
        long begin = System.nanoTime();
        for (long id = first + 1; id < first + EVENTS; id++) {
            long received = subscriber.nextId();
            if (received != id) {
                throw new IOException("received event %d instead of %d".formatted(received, id));
            }
        }
        long took = System.nanoTime() - begin;
        subscriber.nextId(); // done
        return (EVENTS - 1) * 1e9 / took;
    }

    private Burst() {}
}
