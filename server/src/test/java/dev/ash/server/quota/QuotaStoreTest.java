package dev.ash.server.quota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.SandboxId;
import dev.ash.protocol.SessionId;
import dev.ash.protocol.TurnId;
import dev.ash.server.event.LogLimit;
import dev.ash.server.store.Handle;
import dev.ash.server.store.StoreContract;
import java.util.Map;
import java.util.Optional;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

@StoreContract.Covers(QuotaStore.class)
class QuotaStoreTest extends StoreContract {
    private static final long MB = 1024 * 1024;
    private static final TenantLimit NONE = TenantLimit.NONE;

    private final SessionId session = SessionId.random();

    /** Returns a limit of {@code TENANT} only. */
    private static TenantLimit limit(long limit) {
        return new TenantLimit(Long.MAX_VALUE, Map.of(TENANT, limit));
    }

    private QuotaStore store(
            TenantLimit sessions, TenantLimit agents, TenantLimit storageMb, LogLimit log) {
        return new QuotaStore(
                database, new Quotas(sessions, NONE, agents, storageMb, log, Optional.empty()));
    }

    private static void assertExceeded(ErrorCode code, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        ApiException.class, e -> assertThat(e.code()).isEqualTo(code));
    }

    private void insertEvent(SessionId of, long seq, Long logBytes) {
        update(
                """
                INSERT INTO events (session_id, seq, type, data, created_at, log_bytes)
                VALUES (?, ?, 'message', ?, 0, ?)
                """,
                of.value(),
                seq,
                bytes("{}"),
                logBytes);
    }

    private void insertQueued(SessionId of, int size) {
        update(
                """
                INSERT INTO turns (id, session_id, origin, status, started_at, query)
                VALUES (?, ?, 'client', 'queued', 0, ?)
                """,
                TurnId.random().value(),
                of.value(),
                new byte[size]);
    }

    @Test
    void countsSessionsThatHaveNotEnded() {
        var store = store(limit(2), NONE, NONE, LogLimit.NONE);
        insertSession(TENANT, session);
        insertSession(TENANT, SessionId.random(), SandboxId.random(), "agent", "ended");
        insertSession(OTHER_TENANT, SessionId.random());
        store.checkSession(TENANT);
        insertSession(TENANT, SessionId.random(), SandboxId.random(), "agent", "error");

        assertExceeded(ErrorCode.QUOTA_EXCEEDED, () -> store.checkSession(TENANT));
        assertExceeded(
                ErrorCode.QUOTA_EXCEEDED,
                () -> write(transaction -> store.requireSession(transaction, TENANT)));
        store.checkSession(OTHER_TENANT);

        update("UPDATE sessions SET isolation = NULL WHERE status = 'error'");
        store.checkSession(TENANT);
    }

    @Test
    void concurrentSessionsDoNotExceedLimit() {
        var store = store(limit(3), NONE, NONE, LogLimit.NONE);

        var rejected =
                concurrently(
                        10,
                        _ ->
                                () -> {
                                    try {
                                        write(
                                                transaction -> {
                                                    store.requireSession(transaction, TENANT);
                                                    insert(transaction.handle());
                                                });
                                        return false;
                                    } catch (ApiException e) {
                                        return true;
                                    }
                                });

        assertThat(rejected.stream().filter(one -> one)).hasSize(7);
        assertThat(count("sessions")).isEqualTo(3);
    }

    private static void insert(Handle handle) {
        handle.execute(
                """
                INSERT INTO sessions
                  (id, tenant_id, agent_id, agent_name, agent_version, sandbox_id, status, engine,
                   permission_mode, settings, created_at, last_active_at)
                VALUES (?, ?, 'a', 'a', 1, 's', 'active', 'demo', 'ask', ?, 0, 0)
                """,
                SessionId.random().value(),
                TENANT.value(),
                new byte[1]);
    }

    @Test
    void countsOtherAgentsAndTheirFiles() {
        insertAgent("1", "a", MB);
        insertAgent("2", "b", MB);

        var agents = store(NONE, limit(2), NONE, LogLimit.NONE);
        agents.checkAgent(TENANT, "a");
        assertExceeded(ErrorCode.QUOTA_EXCEEDED, () -> agents.checkAgent(TENANT, "c"));
        agents.checkAgent(OTHER_TENANT, "c");

        var storage = store(NONE, NONE, limit(3), LogLimit.NONE);
        write(transaction -> storage.requireAgent(transaction, TENANT, "a", MB));
        assertExceeded(
                ErrorCode.QUOTA_EXCEEDED,
                () -> write(transaction -> storage.requireAgent(transaction, TENANT, "a", MB + 1)));
    }

    private void insertAgent(String id, String name, long bytes) {
        update(
                """
                INSERT INTO agents
                  (id, tenant_id, name, version, path, env, config, created_at, updated_at)
                VALUES (?, ?, ?, 1, '/', ?, '{}', 0, 0)
                """,
                id,
                TENANT.value(),
                name,
                new byte[1]);
        update("INSERT INTO agent_versions (agent_id, version, bytes) VALUES (?, 1, ?)", id, bytes);
    }

    @Test
    void addsLogAndQueuedPromptsOfSession() {
        var store = store(NONE, NONE, NONE, new LogLimit(2000));
        insertSession(TENANT, session);
        insertEvent(session, 1, null);
        store.checkPrompt(TENANT, session, 1800);
        insertEvent(session, 2, 1000L);
        insertQueued(session, 300);
        insertQueued(SessionId.random(), 5000);

        store.checkPrompt(TENANT, session, 500);
        assertExceeded(ErrorCode.SESSION_LOG_FULL, () -> store.checkPrompt(TENANT, session, 501));
        assertExceeded(
                ErrorCode.SESSION_LOG_FULL,
                () -> write(transaction -> store.requirePrompt(transaction, TENANT, session, 501)));
        store.checkPrompt(TENANT, SessionId.random(), 1800);
    }

    @Test
    void addsLogsAndQueuedPromptsOfTenant() {
        var store = store(NONE, NONE, limit(3), LogLimit.NONE);
        var second = SessionId.random();
        insertSession(TENANT, session);
        insertSession(TENANT, second, SandboxId.random(), "agent", "ended");
        insertEvent(session, 1, MB / 2);
        insertEvent(session, 2, MB);
        insertEvent(second, 1, MB);
        insertQueued(session, 1000);
        insertQueued(second, 5000);

        store.checkPrompt(TENANT, session, MB - 1000);
        assertExceeded(
                ErrorCode.QUOTA_EXCEEDED, () -> store.checkPrompt(TENANT, session, MB - 999));
        assertExceeded(
                ErrorCode.QUOTA_EXCEEDED,
                () -> write(transaction -> store.requireFork(transaction, TENANT, session)));
        write(transaction -> store.requireFork(transaction, OTHER_TENANT, session));
    }
}
