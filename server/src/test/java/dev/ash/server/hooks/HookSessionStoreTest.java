package dev.ash.server.hooks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.protocol.SessionId;
import dev.ash.server.store.StoreContract;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@StoreContract.Covers(HookSessionStore.class)
class HookSessionStoreTest extends StoreContract {
    private HookSessionStore store;

    @BeforeEach
    void create() {
        store = new HookSessionStore(database);
    }

    private HookSession put(boolean isActive, long seenAt) {
        var session =
                new HookSession(
                        SessionId.random(), TENANT, "/home/" + TEXT, TEXT, isActive, 1, seenAt);
        write(transaction -> store.put(transaction, session));
        return session;
    }

    @Test
    void storesAndFindsSessions() {
        var session = put(true, LATE);

        assertThat(store.find(session.id())).contains(session);
        write(transaction -> assertThat(store.find(transaction, session.id())).contains(session));
        assertThat(store.find(SessionId.random())).isEmpty();
    }

    @Test
    void keepsTenantAndCreationTimeOnUpdate() {
        var session = put(true, 1);
        var update =
                new HookSession(session.id(), OTHER_TENANT, "/other", "other", false, LATE, LATE);

        write(transaction -> store.put(transaction, update));

        assertThat(store.find(session.id()))
                .contains(new HookSession(session.id(), TENANT, "/other", "other", false, 1, LATE));
    }

    @Test
    void rollbackKeepsEarlierRow() {
        var session = put(true, 1);

        rollBack(transaction -> store.put(transaction, session.ended()));

        assertThat(store.find(session.id())).contains(session);
    }

    @Test
    void listsMostRecentlySeenFirst() {
        var first = put(true, 1);
        var last = put(false, 3);
        var second = put(true, 2);

        assertThat(store.list(TENANT, 10)).containsExactly(last, second, first);
        assertThat(store.list(TENANT, 2)).containsExactly(last, second);
        assertThat(store.list(OTHER_TENANT, 10)).isEmpty();
    }

    @Test
    void findsSilentActiveSessions() {
        var second = put(true, 2);
        var first = put(true, 1);
        put(false, 1);
        put(true, 3);

        assertThat(store.silent(3, 10)).containsExactly(first.id(), second.id());
        assertThat(store.silent(3, 1)).containsExactly(first.id());
    }

    @Test
    void findsTenantOfExistingAndPurgedSessions() {
        var session = SessionId.random();
        assertThat(store.owner(session)).isEmpty();

        insertSession(TENANT, session);
        assertThat(store.owner(session)).contains(TENANT);
        var purged = SessionId.random();
        insertPurge(OTHER_TENANT, purged);
        assertThat(store.owner(purged)).contains(OTHER_TENANT);
    }

    @Test
    void findsSessionsWithStaleQuestions() {
        var pending = SessionId.random();
        var approved = SessionId.random();
        insertApproval(pending, "hooks", "pending", false);
        insertApproval(pending, "hooks", "pending", false);
        insertApproval(approved, "hooks", "approved", false);
        insertApproval(SessionId.random(), "hooks", "cancelled", false);
        insertApproval(SessionId.random(), "hooks", "expired", false);
        insertApproval(SessionId.random(), "hooks", "approved", true);
        insertApproval(SessionId.random(), "engine", "pending", false);
        insertApproval(SessionId.random(), "pair", "pending", false);

        assertThat(store.withStaleQuestions()).containsExactlyInAnyOrder(pending, approved);
    }

    private void insertApproval(SessionId session, String asker, String status, boolean isSpent) {
        update(
                """
                INSERT INTO approvals
                  (id, tenant_id, session_id, kind, tool, input, status, created_at, asker,
                   bridge_id, question, n, spent_at)
                VALUES (?, ?, ?, 'tool', 'Bash', ?, ?, 0, ?, ?, 'q', 1, ?)
                """,
                UUID.randomUUID().toString(),
                TENANT.value(),
                session.value(),
                bytes("{}"),
                status,
                asker,
                UUID.randomUUID().toString(),
                isSpent ? 1L : null);
    }
}
