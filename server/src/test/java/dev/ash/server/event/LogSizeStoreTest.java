package dev.ash.server.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.SessionId;
import dev.ash.protocol.TenantId;
import dev.ash.protocol.TurnId;
import dev.ash.protocol.json.RawJson;
import dev.ash.server.quota.QuotaStore;
import dev.ash.server.quota.Quotas;
import dev.ash.server.quota.TenantLimit;
import dev.ash.server.store.StoreContract;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Determines the sizes of logs that earlier versions wrote without sizes. */
@StoreContract.Covers(LogSizeStore.class)
class LogSizeStoreTest extends StoreContract {
    private static final int STEP = 4;
    private static final int EVENTS = 10; // more than two steps
    private static final RawJson CONTENT = RawJson.string("x".repeat(1000));
    private static final long EVENT_BYTES =
            event(SessionId.random()).data().length() + EventStore.ROW_BYTES;

    private EventStore store;
    private SessionEvents events;

    @BeforeEach
    void open() {
        restart(LogLimit.NONE);
    }

    /** Opens new stores, without any state in memory. */
    private void restart(LogLimit limit) {
        store = new EventStore(database, limit);
        events = new SessionEvents(database, store, Clock.systemUTC());
    }

    private LogSizeStore sizes() {
        return new LogSizeStore(database, store, STEP);
    }

    private SessionId oldLog() {
        var session = SessionId.random();
        insertSession(TenantId.DEFAULT, session);
        append(session, EVENTS);
        removeSizes(session);
        return session;
    }

    private void removeSizes(SessionId session) {
        update("UPDATE events SET log_bytes = NULL WHERE session_id = ?", session.value());
        restart(LogLimit.NONE);
    }

    private void append(SessionId session, int count) {
        for (int i = 0; i < count; i++) {
            events.append(session, List.of(event(session)), (_, _) -> {});
        }
    }

    private static NewEvent event(SessionId session) {
        return NewEvent.prompt(session, TurnId.random(), CONTENT);
    }

    private Optional<Long> size(SessionId session) {
        return database.read(
                handle ->
                        handle.createQuery(
                                        "SELECT coalesce(log_bytes, -1) FROM events WHERE session_id"
                                                + " = :id ORDER BY seq DESC LIMIT 1")
                                .bind("id", session.value())
                                .mapTo(Long.class)
                                .findOne()
                                .filter(size -> size >= 0));
    }

    private QuotaStore quota(long mb) {
        return new QuotaStore(
                database,
                new Quotas(
                        TenantLimit.NONE,
                        TenantLimit.NONE,
                        TenantLimit.NONE,
                        new TenantLimit(mb, Map.of()),
                        LogLimit.NONE,
                        Optional.empty()));
    }

    @Test
    void storesLogSizeWithLastEvent() throws Exception {
        var first = oldLog();
        var second = oldLog();

        sizes().fill();

        assertThat(size(first)).contains(EVENTS * EVENT_BYTES);
        assertThat(size(second)).contains(EVENTS * EVENT_BYTES);
        append(first, 1);
        assertThat(size(first)).contains((EVENTS + 1) * EVENT_BYTES);
    }

    @Test
    void continuesFromDeterminedSizeAfterAppends() throws Exception {
        var session = oldLog();
        append(session, 2);
        assertThat(size(session)).isEmpty();

        sizes().fill();
        append(session, 1);

        assertThat(size(session)).contains((EVENTS + 3) * EVENT_BYTES);
    }

    @Test
    void determinesSizesOfLogsFoundAfterSearch() throws Exception {
        var session = oldLog();
        var sizes = sizes();
        sizes.fill();
        // As in a fork whose last event has no size in the original.
        update("UPDATE events SET log_bytes = NULL WHERE session_id = ?", session.value());
        append(session, 1);
        assertThat(size(session)).isEmpty();

        sizes.fill();

        assertThat(size(session)).contains((EVENTS + 1) * EVENT_BYTES);
    }

    @Test
    void countsConcurrentlyAppendedEvents() throws Exception {
        var session = oldLog();
        var started = new CountDownLatch(1);
        var appending =
                CompletableFuture.runAsync(
                        () -> {
                            append(session, 1);
                            started.countDown();
                            append(session, 200);
                        });
        assertThat(started.await(20, TimeUnit.SECONDS)).isTrue();

        sizes().fill();
        appending.get(60, TimeUnit.SECONDS);
        append(session, 1);

        assertThat(size(session)).contains((EVENTS + 202) * EVENT_BYTES);
    }

    @Test
    void appliesLimitsOnceSizeIsKnown() throws Exception {
        var session = oldLog();
        append(session, 900); // more than 1 MB
        removeSizes(session);
        restart(new LogLimit(1024 * 1024));
        append(session, 1);
        quota(1).checkPrompt(TenantId.DEFAULT, session, 1);

        sizes().fill();

        assertRejected(ErrorCode.SESSION_LOG_FULL, () -> append(session, 1));
        assertRejected(
                ErrorCode.QUOTA_EXCEEDED, () -> quota(1).checkPrompt(TenantId.DEFAULT, session, 1));
        quota(2).checkPrompt(TenantId.DEFAULT, session, 1);
    }

    private static void assertRejected(ErrorCode code, Runnable action) {
        assertThatThrownBy(action::run)
                .isInstanceOfSatisfying(
                        ApiException.class, e -> assertThat(e.code()).isEqualTo(code));
    }

    @Test
    void determinesSizesOfTerminalLogs() throws Exception {
        var session = SessionId.random();
        insertTerminal(TENANT, session);
        append(session, EVENTS);
        removeSizes(session);

        sizes().fill();

        assertThat(size(session)).contains(EVENTS * EVENT_BYTES);
    }

    @Test
    void skipsConcurrentlyRemovedLog() throws Exception {
        var session = oldLog();
        append(session, 1);
        update("DELETE FROM events WHERE session_id = ?", session.value());

        sizes().fill();

        assertThat(size(session)).isEmpty();
    }
}
