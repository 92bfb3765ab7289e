package dev.ash.server.session.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.protocol.SandboxId;
import dev.ash.protocol.SessionId;
import dev.ash.protocol.TenantId;
import dev.ash.server.session.store.PurgeStore.Expired;
import dev.ash.server.session.store.PurgeStore.Purge;
import dev.ash.server.store.StoreContract;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@StoreContract.Covers(PurgeStore.class)
class PurgeStoreTest extends StoreContract {
    private static final List<String> TABLES =
            List.of(
                    "events",
                    "turns",
                    "approvals",
                    "approval_rules",
                    "idempotency_keys",
                    "device_cursors",
                    "device_requests",
                    "notifications",
                    "reservations");

    private final SessionId session = SessionId.random();
    private final SessionId other = SessionId.random();
    private PurgeStore store;

    @BeforeEach
    void create() {
        store = new PurgeStore(database);
    }

    /** Inserts a row of the session into every table. */
    private void insertAll(SessionId of) {
        insertEvent(of, 1, 2);
        for (var sql :
                List.of(
                        """
                        INSERT INTO turns (id, session_id, origin, status, started_at)
                        VALUES ('turn ' || :id, :id, 'engine', 'done', 0)
                        """,
                        """
                        INSERT INTO approvals (id, tenant_id, session_id, kind, tool, input, status,
                          created_at, bridge_id, question, n)
                        VALUES (:id, 'tenant', :id, 'tool', 'Bash', '{}', 'approved', 0, 'b', 'q', 1)
                        """,
                        """
                        INSERT INTO approval_rules (session_id, tool, created_at)
                        VALUES (:id, 'Bash', 0)
                        """,
                        """
                        INSERT INTO idempotency_keys (tenant_id, key, body_hash, session_id,
                          created_at)
                        VALUES ('tenant', :id, 'hash', :id, 0)
                        """,
                        """
                        INSERT INTO device_cursors (device_id, session_id, seq)
                        VALUES ('phone', :id, 1)
                        """,
                        """
                        INSERT INTO device_requests (id, device_id, session_id, digest,
                          connection_id, created_at)
                        VALUES (:id, 'phone', :id, 'digest', 'c', 0)
                        """,
                        """
                        INSERT INTO notifications (device_id, id, session_id, subject, data,
                          created_at)
                        VALUES ('phone', :id, :id, 'subject', '{}', 0)
                        """,
                        """
                        INSERT INTO reservations (id, tenant_id, agent_name, session_id, day,
                          server_id, input_tokens, output_tokens, cost_micro_usd, created_at)
                        VALUES (:id, 'tenant', 'agent', :id, '2030-01-01', 'local', 1, 1, 1, 0)
                        """)) {
            write(
                    transaction ->
                            transaction
                                    .handle()
                                    .createUpdate(sql)
                                    .bind("id", of.value())
                                    .execute());
        }
    }

    private void insertEvent(SessionId of, long seq, int bytes) {
        update(
                """
                INSERT INTO events (session_id, seq, type, data, created_at)
                VALUES (?, ?, 'message', ?, 0)
                """,
                of.value(),
                seq,
                new byte[bytes]);
    }

    private SessionRow begin(TenantId tenant, SessionId id, long now) {
        var row = SessionRows.starting(tenant, id);
        write(transaction -> store.begin(transaction, row, now));
        return row;
    }

    private List<String> tablesWithRows(SessionId of) {
        return TABLES.stream().filter(table -> count(table, of) > 0).toList();
    }

    private long count(String table, SessionId of) {
        return database.read(
                handle ->
                        handle.createQuery("SELECT count(*) FROM <table> WHERE session_id = :id")
                                .define("table", table)
                                .bind("id", of.value())
                                .mapTo(Long.class)
                                .one());
    }

    @Test
    void removesSessionRowFirst() {
        insertSession(TENANT, session);
        insertSession(TENANT, other);
        insertAll(session);

        var row = begin(TENANT, session, LATE);

        assertThat(row("sessions")).containsEntry("id", other.value());
        assertThat(row("purges"))
                .containsEntry("session_id", session.value())
                .containsEntry("tenant_id", TENANT.value())
                .containsEntry("sandbox_id", row.sandbox().value())
                .containsEntry("begun_at", LATE);
        assertThat(tablesWithRows(session)).isEqualTo(TABLES);
    }

    @Test
    void secondBeginKeepsFirstPurge() {
        begin(TENANT, session, 1);

        begin(TENANT, session, 2);

        assertThat(row("purges")).containsEntry("begun_at", 1);
    }

    @Test
    void findsOldestPurge() {
        assertThat(store.next()).isEmpty();
        begin(TENANT, other, LATE);
        var oldest = begin(OTHER_TENANT, session, 5);

        assertThat(store.next()).contains(new Purge(session, oldest.sandbox()));
    }

    @Test
    void removesRowsOfEveryTableAndThenPurge() {
        insertAll(session);
        insertAll(other);
        begin(TENANT, session, 1);

        for (int left = TABLES.size(); left > 0; left--) {
            assertThat(tablesWithRows(session)).hasSize(left);
            assertThat(store.removeBatch(session)).isTrue();
        }
        assertThat(tablesWithRows(session)).isEmpty();
        assertThat(count("purges")).isEqualTo(1);
        assertThat(store.removeBatch(session)).isFalse();

        assertThat(count("purges")).isZero();
        assertThat(tablesWithRows(other)).isEqualTo(TABLES);
    }

    @Test
    void removesAtMost500RowsPerBatch() {
        write(
                transaction -> {
                    for (int i = 0; i < 501; i++) {
                        transaction
                                .handle()
                                .execute(
                                        """
                                        INSERT INTO approval_rules (session_id, tool, created_at)
                                        VALUES (?, ?, 0)
                                        """,
                                        session.value(),
                                        "tool " + i);
                    }
                });

        assertThat(store.removeBatch(session)).isTrue();
        assertThat(count("approval_rules")).isEqualTo(1);
        assertThat(store.removeBatch(session)).isTrue();
        assertThat(count("approval_rules")).isZero();
    }

    @Test
    void removesAtMostOneMegabytePerBatchButAtLeastOneRow() {
        int megabyte = 1024 * 1024;
        insertEvent(session, 1, megabyte / 2);
        insertEvent(session, 2, megabyte / 2);
        insertEvent(session, 3, 2 * megabyte);
        insertEvent(session, 4, 1);

        assertThat(store.removeBatch(session)).isTrue();
        assertThat(count("events")).isEqualTo(2);
        assertThat(store.removeBatch(session)).isTrue();
        assertThat(count("events")).isEqualTo(1);
        assertThat(store.removeBatch(session)).isTrue();
        assertThat(count("events")).isZero();
    }

    @Test
    void findsExpiredSessionsOldestFirst() {
        var later = SessionId.random();
        insertEnded(TENANT, later, 20);
        insertEnded(OTHER_TENANT, session, 10);
        insertEnded(TENANT, other, 30);
        insertSession(TENANT, SessionId.random()); // has not ended

        assertThat(store.endedBefore(30, 10))
                .containsExactly(new Expired(OTHER_TENANT, session), new Expired(TENANT, later));
        assertThat(store.endedBefore(LATE, 1)).containsExactly(new Expired(OTHER_TENANT, session));
        assertThat(store.endedBefore(10, 10)).isEmpty();
    }

    private void insertEnded(TenantId tenant, SessionId id, long time) {
        insertSession(tenant, id, SandboxId.random(), "agent", "ended");
        update("UPDATE sessions SET ended_at = ? WHERE id = ?", time, id.value());
    }

    @Test
    void rollbackKeepsSession() {
        insertSession(TENANT, session);

        rollBack(transaction -> store.begin(transaction, SessionRows.starting(TENANT, session), 1));

        assertThat(count("sessions")).isEqualTo(1);
        assertThat(count("purges")).isZero();
    }
}
