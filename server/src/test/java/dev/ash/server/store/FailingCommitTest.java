package dev.ash.server.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.SessionId;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.server.event.EventStore;
import dev.ash.server.event.NewEvent;
import dev.ash.server.event.SessionEvents;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.sqlite.SQLiteErrorCode;
import org.sqlite.SQLiteException;

/** Events whose commit fails are not acknowledged, not published, and leave no sequence gap. */
class FailingCommitTest {
    private final Set<String> failing = ConcurrentHashMap.newKeySet();
    private volatile SQLiteErrorCode reason = SQLiteErrorCode.SQLITE_FULL;
    private final SessionId session = SessionId.random();

    @TempDir Path directory;
    private Database database;
    private SessionEvents events;

    @BeforeEach
    void open() {
        database =
                Database.open(
                        directory.resolve("ash.db"),
                        ConnectionInterceptor.before(this::failIfConfigured));
        events = new SessionEvents(database, new EventStore(database), Clock.systemUTC());
    }

    @AfterEach
    void close() {
        failing.clear();
        database.close();
    }

    private void failIfConfigured(String method, Object argument) throws SQLException {
        if (failing.contains(method)) {
            throw new SQLiteException("failure requested by the test", reason);
        }
    }

    private NewEvent event() {
        return NewEvent.lifecycle(session, "tested", JsonWriter.object());
    }

    private long append() {
        return events.append(session, List.of(event()), (_, _) -> {}).getFirst().seq();
    }

    private List<Long> published() throws InterruptedException {
        var seen = new ArrayList<Long>();
        try (var subscription = events.subscribe(session, 0)) {
            subscription.nextBatch(Duration.ZERO).forEach(event -> seen.add(event.seq()));
        }
        return seen;
    }

    @ParameterizedTest
    @EnumSource(
            value = SQLiteErrorCode.class,
            names = {"SQLITE_FULL", "SQLITE_IOERR_WRITE", "SQLITE_IOERR_FSYNC"})
    void rejectsEventsOnFullDiskWithoutSequenceGap(SQLiteErrorCode code) throws Exception {
        assertThat(append()).isEqualTo(1);
        reason = code;
        failing.add("commit");

        for (int i = 0; i < 3; i++) {
            assertThatThrownBy(this::append)
                    .isInstanceOfSatisfying(
                            ApiException.class,
                            e -> assertThat(e.code()).isEqualTo(ErrorCode.DISK_FULL))
                    .hasMessageContaining("nothing was written")
                    .hasMessageContaining("Free some space");
        }
        assertThat(published()).containsExactly(1L);
        failing.clear();

        assertThat(append()).isEqualTo(2);
        assertThat(append()).isEqualTo(3);
        assertThat(published()).containsExactly(1L, 2L, 3L);
    }

    @Test
    void opensNewConnectionAfterFailedRollback() throws Exception {
        assertThat(append()).isEqualTo(1);
        failing.addAll(Set.of("commit", "rollback"));
        assertThatThrownBy(this::append).isInstanceOf(ApiException.class);
        failing.add("getConnection");
        assertThatThrownBy(this::append).isInstanceOf(ApiException.class);
        failing.clear();

        assertThat(append()).isEqualTo(2);
        assertThat(published()).containsExactly(1L, 2L);
    }

    @Test
    void publishesNoFailedEventsToLiveSubscribers() throws Exception {
        try (var subscription = events.subscribeLive(session)) {
            failing.add("commit");
            assertThatThrownBy(this::append).isInstanceOf(ApiException.class);
            failing.clear();
            append();

            assertThat(subscription.nextBatch(Duration.ofSeconds(20)))
                    .extracting(event -> event.seq())
                    .containsExactly(1L);
        }
    }
}
