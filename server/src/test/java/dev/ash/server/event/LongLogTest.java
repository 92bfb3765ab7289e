package dev.ash.server.event;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.server.store.Database;
import dev.ash.server.store.RowMap;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.sqlite.ProgressHandler;

/**
 * Counts the steps of the database for queries of a long log: a page or a number must not cost more
 * because of the events before it.
 */
class LongLogTest {
    private static final int EVENTS = 20_000;
    private static final int STEPS_PER_CALL = 100;
    private static final int MAX_STEPS = 2_000; // a row of a page needs about 30

    private static final String FILL =
            """
            WITH RECURSIVE numbers (i) AS (
              SELECT 1
              UNION ALL
              SELECT i + 1 FROM numbers WHERE i < :count
            )
            INSERT INTO events
              (session_id, seq, turn_id, type, data, created_at, bridge_id, n, message_no, event_no,
               log_bytes)
            SELECT 's', i, 't' || (i / 20), CASE i % 20 WHEN 0 THEN 'prompt' ELSE 'message' END,
              x'7b7d', i, 'b', i, i, i, i
            FROM numbers
            """;

    @TempDir Path directory;
    private Database database;

    @BeforeEach
    void fill() {
        database = Database.open(directory.resolve("ash.db"));
        database.writer()
                .execute(
                        transaction ->
                                transaction
                                        .handle()
                                        .createUpdate(FILL)
                                        .bind("count", EVENTS)
                                        .execute());
    }

    @AfterEach
    void close() {
        database.close();
    }

    private int steps(String sql, String id) {
        var calls = new AtomicInteger();
        return database.read(
                handle -> {
                    try {
                        var connection = handle.connection();
                        var handler =
                                new ProgressHandler() {
                                    @Override
                                    protected int progress() {
                                        calls.incrementAndGet();
                                        return 0;
                                    }
                                };
                        ProgressHandler.setHandler(connection, STEPS_PER_CALL, handler);
                        try {
                            var query = handle.createQuery(sql).bind("session", "s").bind("id", id);
                            query.bind("no", EVENTS - 10).bind("limit", 10).bind("unknown", -1);
                            assertThat(query.map(RowMap::of).list()).isNotEmpty();
                        } finally {
                            ProgressHandler.clearHandler(connection);
                        }
                        return calls.get() * STEPS_PER_CALL;
                    } catch (SQLException e) {
                        throw new IllegalStateException(e);
                    }
                });
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                EventStore.LAST_NUMBERS,
                EventStore.LAST_SIZE,
                EventStore.LAST_EVENT_ROW,
                EventStore.LAST_SEQ,
                EventPageStore.AFTER_SEQ,
                EventPageStore.AFTER_MESSAGE,
                EventPageStore.AFTER_EVENT_ROW
            })
    void readsNothingBeforeRequestedRows(String sql) {
        assertThat(steps(sql, "")).isLessThan(MAX_STEPS);
    }

    @ParameterizedTest
    @ValueSource(strings = {EventStore.LAST_OF_BRIDGE, EventStore.FIRST_OF_TURN})
    void findsNumbersByIndex(String sql) {
        assertThat(steps(sql, sql.contains("bridge_id") ? "b" : "t" + (EVENTS / 20 - 1)))
                .isLessThan(MAX_STEPS);
    }
}
