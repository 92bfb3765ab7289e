package dev.ash.server.runner;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.protocol.AgentName;
import dev.ash.protocol.SandboxId;
import dev.ash.protocol.SessionId;
import dev.ash.protocol.TenantId;
import dev.ash.sandbox.SandboxRow;
import dev.ash.sandbox.SandboxState;
import dev.ash.server.store.Database;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SandboxRowStoreTest {
    private final SandboxId id = SandboxId.random();
    private final SessionId session = SessionId.random();
    @TempDir Path folder;
    private Database database;
    private SandboxRowStore store;

    @BeforeEach
    void open() {
        database = Database.open(folder.resolve("ash.db"));
        store = new SandboxRowStore(database, Clock.systemUTC());
    }

    @AfterEach
    void close() {
        database.close();
    }

    private void starting(@Nullable SessionId owner, String nonce) {
        store.starting(
                new SandboxRow(
                        id,
                        TenantId.DEFAULT,
                        owner,
                        new AgentName("test"),
                        Path.of("/workspace"),
                        nonce));
    }

    private Map<String, Object> row() {
        database.writer().write(_ -> true); // after what was not waited for
        return database.read(
                handle ->
                        handle.createQuery("SELECT * FROM sandboxes WHERE id = ?")
                                .bind(0, id.value())
                                .mapToMap()
                                .one());
    }

    private void insertSession(SandboxId sandbox) {
        database.writer()
                .write(
                        transaction ->
                                transaction
                                        .handle()
                                        .execute(
                                                "INSERT INTO sessions (id, tenant_id, agent_id,"
                                                        + " agent_name, agent_version, sandbox_id, status,"
                                                        + " engine, permission_mode, settings, created_at,"
                                                        + " last_active_at) VALUES (?, 'default', 'a',"
                                                        + " 'test', 1, ?, 'active', 'demo', 'ask', x'00',"
                                                        + " 0, 0)",
                                                session.value(),
                                                sandbox.value()));
    }

    @Test
    void everyLaunchHasItsNonce() {
        starting(session, "first");
        assertThat(row())
                .containsEntry("nonce", "first")
                .containsEntry("session_id", session.value())
                .containsEntry("state", "warming");
        store.state(id, SandboxState.COLD);
        assertThat(row()).containsEntry("state", "cold");

        starting(session, "second");

        assertThat(row()).containsEntry("nonce", "second").containsEntry("state", "warming");
    }

    @Test
    void aWarmSandboxBelongsToNobodyUntilItIsClaimed() {
        starting(null, "nonce");
        store.state(id, SandboxState.WARM);
        insertSession(id);
        assertThat(row()).containsEntry("session_id", null).containsEntry("state", "warm");
        assertThat(store.unclaimed()).containsExactly(id);

        store.claimed(id, session);

        assertThat(row()).containsEntry("session_id", session.value());
        assertThat(store.unclaimed()).isEmpty();
    }

    @Test
    void oneWhoseSessionWasNeverStoredBelongsToNobody() {
        starting(null, "nonce");
        store.claimed(id, session);

        assertThat(store.unclaimed()).containsExactly(id);
    }

    @Test
    void oneWhoseSessionHasAnotherBelongsToNobody() {
        starting(null, "nonce");
        store.claimed(id, session);
        insertSession(SandboxId.random());

        assertThat(store.unclaimed()).containsExactly(id);
    }

    @Test
    void aRemovedOneIsForgotten() {
        starting(null, "nonce");
        store.removed(id);

        assertThat(store.unclaimed()).isEmpty();
    }
}
