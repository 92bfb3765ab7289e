package dev.ash.bench;

import java.io.IOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.DoubleStream;

/**
 * Measures the latency of events of one session from the bridge's write to the read of a
 * subscriber: on an idle server, and while another session with a log of about 1 GB is purged,
 * until the database file has shrunk. Idle rounds are measured before and after.
 */
final class Purge {
    private static final int EVENTS = 500; // per round
    private static final int GAP_MS = 3;
    private static final int QUIET_ROUNDS = 10; // before, and again after
    private static final int SMALL_BYTES = 400;
    private static final int SMALL_ROWS = 1_000_000;
    private static final int LARGE_BYTES = 9 << 20;
    private static final int LARGE_ROWS = 50;
    private static final int RETAINED_PAGES = 4096;

    /** The latencies of all events by round. */
    private record Times(List<double[]> rounds) {
        private Times() {
            this(new ArrayList<>());
        }

        private double[] medians(int count) {
            return rounds.stream()
                    .limit(count)
                    .mapToDouble(round -> new Statistics(round).median())
                    .toArray();
        }

        private void print(String label) {
            var all = new Statistics(rounds.stream().flatMapToDouble(DoubleStream::of).toArray());
            System.out.printf(
                    "%-17s p50 %.2f ms, p95 %.2f ms, p99 %.2f ms, max %.2f ms (%d rounds)%n",
                    label,
                    all.median(),
                    all.percentile(95),
                    all.percentile(99),
                    all.max(),
                    rounds.size());
        }
    }

    static void run() throws IOException, InterruptedException, SQLException {
        try (var server = BenchServer.start();
                var database =
                        DriverManager.getConnection(
                                "jdbc:sqlite:" + server.directory().resolve("data/ash.db"))) {
            var large = server.session();
            large.end();
            fill(database, large.id());
            var session = server.session();
            try (var subscriber = session.subscribe(0)) {
                for (int i = 0; i < 3; i++) {
                    round(session, subscriber); // to warm up
                }
                var quiet = new Times();
                quietRounds(quiet, session, subscriber);
                long begin = System.nanoTime();
                server.delete("/api/sessions/" + large.id() + "?purge=true");
                var during = new Times();
                do {
                    during.rounds().add(round(session, subscriber));
                } while (isRemoving(database));
                System.out.printf(
                        "purge of %,d MB in %,d events: %.0f s%n",
                        ((long) SMALL_BYTES * SMALL_ROWS + (long) LARGE_BYTES * LARGE_ROWS) >> 20,
                        SMALL_ROWS + LARGE_ROWS,
                        (System.nanoTime() - begin) / 1e9);
                quietRounds(quiet, session, subscriber);
                print(quiet, during);
            }
        }
    }

    private static void print(Times quiet, Times during) {
        quiet.print("quiet");
        during.print("during the purge");
        int pairs = Math.min(quiet.rounds().size(), during.rounds().size());
        var paired = new PairedStatistics(quiet.medians(pairs), during.medians(pairs));
        System.out.printf(
                "difference of the medians of %d pairs of rounds: %+.2f ms (95 %% %+.2f to %+.2f)%n",
                pairs, paired.difference(), paired.lowerBound(), paired.upperBound());
    }

    private static void quietRounds(Times quiet, BenchSession session, EventReader subscriber)
            throws IOException, InterruptedException {
        for (int i = 0; i < QUIET_ROUNDS; i++) {
            quiet.rounds().add(round(session, subscriber));
        }
    }

    private static double[] round(BenchSession session, EventReader subscriber)
            throws IOException, InterruptedException {
        var written = new long[EVENTS];
        var read = new long[EVENTS];
        Publish.measure(session, subscriber, written, read, GAP_MS);
        var millis = new double[EVENTS];
        for (int i = 0; i < EVENTS; i++) {
            millis[i] = (read[i] - written[i]) / 1e6;
        }
        return millis;
    }

    /** Inserts rows directly, because the server would take long; the session has ended. */
    private static void fill(Connection database, String session) throws SQLException {
        try (var statement = database.createStatement()) {
            statement.execute("PRAGMA busy_timeout = 30000");
            statement.execute("PRAGMA synchronous = OFF");
        }
        database.setAutoCommit(false);
        long seq = 1_000_000; // above the events that the server has logged
        try (var insert =
                database.prepareStatement(
                        "INSERT INTO events (session_id, seq, type, data, created_at, event_no)"
                                + " VALUES (?, ?, 'message', ?, 0, ?)")) {
            for (var size : new int[][] {{SMALL_BYTES, SMALL_ROWS}, {LARGE_BYTES, LARGE_ROWS}}) {
                var data = new byte[size[0]];
                for (int i = 0; i < size[1]; i++) {
                    seq++;
                    insert.setString(1, session);
                    insert.setLong(2, seq);
                    insert.setBytes(3, data);
                    insert.setLong(4, seq);
                    insert.executeUpdate();
                    if (i % 10_000 == 0) {
                        database.commit();
                    }
                }
                database.commit();
            }
        }
        database.setAutoCommit(true);
    }

    /** Returns whether rows or free pages remain; housekeeping releases pages after the rows. */
    private static boolean isRemoving(Connection database) throws SQLException {
        return number(database, "SELECT count(*) FROM purges") > 0
                || number(database, "PRAGMA freelist_count") > RETAINED_PAGES;
    }

    private static long number(Connection database, String query) throws SQLException {
        try (var statement = database.createStatement();
                var rows = statement.executeQuery(query)) {
            return rows.getLong(1);
        }
    }

    private Purge() {}
}
