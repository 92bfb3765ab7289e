package dev.ash.server.secret;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.protocol.SandboxId;
import dev.ash.protocol.SessionId;
import dev.ash.server.secret.SealedValueStore.Batch;
import dev.ash.server.secret.SealedValueStore.Column;
import dev.ash.server.secret.SealedValueStore.Launch;
import dev.ash.server.store.Sealer;
import dev.ash.server.store.StoreContract;
import java.io.IOException;
import java.security.SecureRandom;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@StoreContract.Covers(SealedValueStore.class)
class SealedValueStoreTest extends StoreContract {
    private Sealer sealer;
    private SealedValueStore store;

    @BeforeEach
    void create() throws IOException {
        sealer = Sealer.open(directory().resolve("key"), new SecureRandom());
        store = new SealedValueStore(database, sealer, Long.MAX_VALUE);
    }

    private void rotate() throws IOException {
        sealer.update(ring -> ring.rotated(new SecureRandom(), 1, 2));
    }

    private void insert(Column column, String id, byte @Nullable [] value) {
        switch (column) {
            case AGENTS ->
                    update(
                            """
                            INSERT INTO agents
                              (id, tenant_id, name, version, path, env, config, created_at,
                               updated_at)
                            VALUES (?, 'default', ?, 1, '/', ?, '{}', 0, 0)
                            """,
                            id,
                            id,
                            value);
            case CREDENTIALS ->
                    update(
                            """
                            INSERT INTO credentials
                              (id, tenant_id, type, label, secret, created_at)
                            VALUES (?, 'default', 'openai', '', ?, 0)
                            """,
                            id,
                            value);
            case SESSIONS -> {
                var session = SessionId.random();
                insertSession(TENANT, session);
                update(
                        "UPDATE sessions SET id = ?, settings = ? WHERE id = ?",
                        id,
                        value,
                        session.value());
            }
        }
    }

    private byte[] value(Column column, String id) {
        return database.read(
                handle ->
                        handle.createQuery("SELECT <column> FROM <table> WHERE id = :id")
                                .define("table", column.table)
                                .define("column", column.column)
                                .bind("id", id)
                                .map(row -> row.getBytes(1))
                                .one());
    }

    @ParameterizedTest
    @EnumSource(Column.class)
    void resealsEveryColumn(Column column) throws IOException {
        insert(column, "a", sealer.seal(bytes(TEXT)));
        insert(column, "b", bytes("not sealed with any key of this server"));
        rotate();
        insert(column, "c", sealer.seal(bytes("current")));
        var current = value(column, "c");
        assertThat(store.remaining(column)).isEqualTo(2);

        assertThat(store.reseal(column, "")).contains(new Batch("b", 1, 1));

        assertThat(store.remaining(column)).isEqualTo(1);
        assertThat(store.reseal(column, "b")).isEqualTo(Optional.empty());
        sealer.update(ring -> ring.resealed(3));
        sealer.discardDropped();
        assertThat(sealer.unseal(value(column, "a"))).isEqualTo(bytes(TEXT));
        assertThat(value(column, "c")).isEqualTo(current);
    }

    @Test
    void skipsRowsWithoutValue() throws IOException {
        insert(Column.AGENTS, "a", null);
        rotate();

        assertThat(store.remaining(Column.AGENTS)).isZero();
        assertThat(store.reseal(Column.AGENTS, "")).isEmpty();
    }

    @Test
    void resealsInBatchesOrderedById() throws IOException {
        for (int i = 0; i < 120; i++) {
            insert(Column.CREDENTIALS, "id-%03d".formatted(i), sealer.seal(bytes("secret " + i)));
        }
        rotate();

        assertThat(store.reseal(Column.CREDENTIALS, "")).contains(new Batch("id-099", 100, 0));
        assertThat(store.reseal(Column.CREDENTIALS, "id-099")).contains(new Batch("id-119", 20, 0));
        assertThat(store.remaining(Column.CREDENTIALS)).isZero();
    }

    @Test
    void resealsConcurrently() throws IOException {
        for (int i = 0; i < 10; i++) {
            insert(Column.CREDENTIALS, "id-" + i, sealer.seal(bytes("secret " + i)));
        }
        rotate();

        concurrently(4, _ -> () -> store.reseal(Column.CREDENTIALS, ""));

        assertThat(store.remaining(Column.CREDENTIALS)).isZero();
        for (int i = 0; i < 10; i++) {
            assertThat(sealer.unseal(value(Column.CREDENTIALS, "id-" + i)))
                    .isEqualTo(bytes("secret " + i));
        }
    }

    @Test
    void cleansFiles() {
        store.awaitWriter();
        assertThat(store.cleanFiles().rewritten()).isTrue();
    }

    @Test
    void findsLaunchesOfSandboxesThatMayRun() {
        assertThat(store.lastLaunch()).isZero();
        var unknown = insertSandbox("warm", null);
        var late = insertSandbox("running", LATE);
        insertSandbox("cold", LATE - 1);

        assertThat(store.lastLaunch()).isEqualTo(LATE);
        assertThat(store.launchesUntil(LATE - 1)).containsExactly(new Launch(unknown, 0));
        assertThat(store.launchesUntil(LATE))
                .containsExactlyInAnyOrder(new Launch(unknown, 0), new Launch(late, LATE));
    }

    private SandboxId insertSandbox(String state, @Nullable Long launchedAt) {
        var id = SandboxId.random();
        update(
                """
                INSERT INTO sandboxes
                  (id, tenant_id, agent_name, state, workspace_dir, created_at, last_used_at,
                   launched_at)
                VALUES (?, 'default', 'a', ?, '/', 0, 0, ?)
                """,
                id.value(),
                state,
                launchedAt);
        return id;
    }
}
