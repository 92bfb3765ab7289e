package dev.ash.bench.scale;

import dev.ash.bench.result.Figure;
import dev.ash.bench.run.Benchmark;
import dev.ash.bench.run.Measurement;
import dev.ash.bench.server.ServerSettings;
import dev.ash.bench.turn.PublishedEvents;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;

/**
 * Measures the latency of events of one session while another session with a log of a million
 * events is purged, until the database file has shrunk, compared with an idle server.
 */
public final class Purge implements Benchmark {
    private static final int EVENTS = 500; // per round
    private static final int GAP_MS = 3;
    private static final int QUIET_ROUNDS = 10;
    private static final int ROWS = 1_000_000;
    private static final int RETAINED_PAGES = 4096;

    @Override
    public String name() {
        return "purge";
    }

    @Override
    public String description() {
        return "events of a session while another one with a million events is purged";
    }

    @Override
    public boolean isOnRequest() {
        return true;
    }

    @Override
    public void run(Measurement measurement) throws Exception {
        var server = measurement.server(ServerSettings.standIn());
        var large = server.session();
        large.end();
        server.stop();
        var file = server.data().resolve("ash.db");
        measurement.progress("filling a log");
        try (var filler = new LogFiller(file)) {
            filler.fill(large.id(), ROWS);
        }
        server.start();
        var session = server.session();
        var quiet = new ArrayList<Double>();
        var during = new ArrayList<Double>();
        long begin;
        try (var database = open(file);
                var subscriber = session.subscribe(0)) {
            PublishedEvents.measure(session, subscriber, EVENTS, GAP_MS); // to warm up
            for (int i = 0; i < measurement.samples(QUIET_ROUNDS); i++) {
                measurement.progress("idle, round %d", i + 1);
                quiet.addAll(PublishedEvents.measure(session, subscriber, EVENTS, GAP_MS));
            }
            begin = System.nanoTime();
            server.delete(large.path() + "?purge=true");
            do {
                measurement.progress("during the purge");
                during.addAll(PublishedEvents.measure(session, subscriber, EVENTS, GAP_MS));
            } while (isRemoving(database));
        }
        double seconds = (System.nanoTime() - begin) / 1e9;
        measurement.release(server);
        measurement.record(
                Figure.millis("event during a purge", Figure.STAND_IN, during)
                        .over("idle server", quiet)
                        .note("the purge took %s s".formatted(Measurement.number(seconds))));
    }

    private static Connection open(Path file) throws SQLException {
        return DriverManager.getConnection("jdbc:sqlite:" + file);
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
}
