package dev.ash.server.runner;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.protocol.AgentName;
import dev.ash.protocol.SandboxId;
import dev.ash.protocol.SessionId;
import dev.ash.protocol.TenantId;
import dev.ash.sandbox.SandboxRow;
import dev.ash.sandbox.SandboxState;
import dev.ash.server.store.StoreContract;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@StoreContract.Covers(SandboxRowStore.class)
class SandboxRowStoreTest extends StoreContract {
    private final SandboxId id = SandboxId.random();
    private final SessionId session = SessionId.random();
    private SandboxRowStore store;

    @BeforeEach
    void open() {
        store =
                new SandboxRowStore(
                        database, Clock.fixed(Instant.ofEpochMilli(LATE), ZoneOffset.UTC));
    }

    private void starting(@Nullable SessionId owner, String nonce) {
        store.recordLaunch(
                new SandboxRow(
                        id,
                        TenantId.DEFAULT,
                        owner,
                        new AgentName("test"),
                        Path.of("/workspace"),
                        nonce));
    }

    private Map<String, Object> row() {
        awaitWriter();
        return row("sandboxes");
    }

    private void insertSession(SandboxId sandbox) {
        insertSession(TenantId.DEFAULT, session, sandbox);
    }

    @Test
    void storesEveryColumn() {
        store.recordLaunch(
                new SandboxRow(
                        id,
                        TENANT,
                        session,
                        new AgentName("test"),
                        Path.of("/workspace/" + TEXT),
                        TEXT));
        store.updateState(id, SandboxState.WARM);

        assertThat(row())
                .isEqualTo(
                        Map.of(
                                "id",
                                id.value(),
                                "tenant_id",
                                TENANT.value(),
                                "session_id",
                                session.value(),
                                "agent_name",
                                "test",
                                "state",
                                "warm",
                                "workspace_dir",
                                "/workspace/" + TEXT,
                                "created_at",
                                LATE,
                                "last_used_at",
                                LATE,
                                "nonce",
                                TEXT,
                                "launched_at",
                                LATE));
    }

    @Test
    void storesOneRowForConcurrentLaunches() {
        concurrently(
                10,
                i ->
                        () -> {
                            starting(session, "nonce " + i);
                            return i;
                        });

        assertThat(String.valueOf(row().get("nonce"))).startsWith("nonce ");
    }

    @Test
    void replacesNonceOnEveryLaunch() {
        starting(session, "first");
        assertThat(row())
                .containsEntry("nonce", "first")
                .containsEntry("session_id", session.value())
                .containsEntry("state", "warming");
        store.updateState(id, SandboxState.COLD);
        assertThat(row()).containsEntry("state", "cold");

        starting(session, "second");

        assertThat(row()).containsEntry("nonce", "second").containsEntry("state", "warming");
    }

    @Test
    void listsWarmSandboxAsUnused() {
        starting(null, "nonce");
        store.updateState(id, SandboxState.WARM);
        insertSession(id);

        assertThat(row()).containsEntry("session_id", null).containsEntry("state", "warm");
        assertThat(store.findUnused()).containsExactly(id);
    }

    @Test
    void doesNotListSandboxOfSession() {
        insertSession(id);
        starting(session, "nonce");

        assertThat(store.findUnused()).isEmpty();
    }

    @Test
    void listsSandboxOfUnknownSession() {
        starting(session, "nonce");

        assertThat(store.findUnused()).containsExactly(id);
    }

    @Test
    void listsReplacedSandbox() {
        starting(session, "nonce");
        insertSession(SandboxId.random());

        assertThat(store.findUnused()).containsExactly(id);
    }

    @Test
    void doesNotStoreWhetherTurnRuns() {
        starting(session, "nonce");

        store.updateState(id, SandboxState.WAITING);
        store.updateState(id, SandboxState.RUNNING);

        assertThat(row()).containsEntry("state", "warming");
    }

    @Test
    void listsSandboxOfEndedSession() {
        insertSession(id);
        starting(session, "nonce");
        assertThat(store.findUnused()).isEmpty();

        database.writer()
                .write(
                        transaction ->
                                transaction
                                        .handle()
                                        .execute("UPDATE sessions SET status = 'ended'"));

        assertThat(store.findUnused()).containsExactly(id);
    }

    @Test
    void deletesRowOfRemovedSandbox() {
        starting(null, "nonce");
        store.delete(id);

        assertThat(store.findUnused()).isEmpty();
    }
}
