package dev.ash.server.session.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.protocol.SandboxId;
import dev.ash.protocol.SessionId;
import dev.ash.protocol.SessionStatus;
import dev.ash.protocol.TenantId;
import dev.ash.protocol.bridge.EngineConfig;
import dev.ash.protocol.rest.SessionApi;
import dev.ash.protocol.rest.SessionUsage;
import dev.ash.server.isolation.IsolationPolicy;
import dev.ash.server.session.store.SessionRow.PausedBy;
import dev.ash.server.session.store.SessionRow.StatusDetails;
import dev.ash.server.session.store.SessionStore.Filter;
import dev.ash.server.session.store.SessionStore.RecoverableSession;
import dev.ash.server.store.Sealer;
import dev.ash.server.store.StoreContract;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@StoreContract.Covers(SessionSql.class)
class SessionStoreTest extends StoreContract {
    private final SessionId id = SessionId.random();
    private SessionStore store;

    @BeforeEach
    void create() throws IOException {
        var sealer = Sealer.open(directory().resolve("key"), new SecureRandom());
        store = new SessionStore(database, sealer);
    }

    private SessionRow insert(SessionRow row) {
        write(transaction -> store.insert(transaction, row));
        return row;
    }

    private SessionRow insert(TenantId tenant, String agent, long createdAt) {
        return insert(SessionRows.starting(tenant, SessionId.random(), agent, createdAt));
    }

    private SessionRow insert(String id, long createdAt) {
        return insert(SessionRows.starting(TENANT, new SessionId(id), "agent", createdAt));
    }

    private SessionRow insertWith(SessionStatus status) {
        var row = insert(TENANT, "agent", 0);
        update("UPDATE sessions SET status = ? WHERE id = ?", status.wire(), row.id().value());
        return store.find(row.id()).orElseThrow();
    }

    private void insertSandbox(SessionRow of, String state, String nonce) {
        update(
                """
                INSERT INTO sandboxes
                  (id, tenant_id, session_id, agent_name, state, workspace_dir, created_at,
                   last_used_at, nonce)
                VALUES (?, ?, ?, 'agent', ?, '/', 0, 0, ?)
                """,
                of.sandbox().value(),
                of.tenant().value(),
                of.id().value(),
                state,
                nonce);
    }

    private SessionRow find() {
        return store.find(id).orElseThrow();
    }

    private static Filter all(TenantId tenant) {
        return new Filter(tenant, Optional.empty(), Optional.empty(), 100, 0);
    }

    private static Filter withPrefix(String prefix) {
        return new Filter(TENANT, Optional.empty(), Optional.empty(), 100, 0, Optional.of(prefix));
    }

    private List<SessionId> list(Filter filter) {
        return store.list(filter, SessionRow::id);
    }

    @Test
    void readsStoredSessions() {
        var full = SessionRows.full(TENANT, id, LATE);
        insert(full);
        var minimal = insert(SessionRows.starting(TENANT, SessionId.random()));

        assertThat(store.find(id)).contains(full);
        assertThat(store.find(TENANT, id)).contains(full);
        assertThat(store.find(OTHER_TENANT, id)).isEmpty();
        assertThat(store.find(minimal.id())).contains(minimal);
        assertThat(store.find(SessionId.random())).isEmpty();
    }

    @Test
    void sealsConfiguration() {
        insert(SessionRows.starting(TENANT, id));
        store.configure(id, SessionRows.CONFIG, SessionRows.POLICY);

        var settings = (byte[]) row("sessions").get("settings");

        assertThat(new String(settings, StandardCharsets.ISO_8859_1))
                .doesNotContain("NAME", "beta", id.value());
    }

    @Test
    void storesSandboxAndIsolation() {
        insert(SessionRows.starting(TENANT, id));
        var sandbox = SandboxId.random();

        write(transaction -> store.setSandbox(transaction, id, sandbox, SessionRows.ISOLATION, 7));

        assertThat(find().sandbox()).isEqualTo(sandbox);
        assertThat(find().isolation()).isEqualTo(SessionRows.ISOLATION);
    }

    @Test
    void storesSessionOfSandbox() {
        insert(SessionRows.starting(TENANT, id));
        var sandbox = SandboxId.random();
        write(
                transaction ->
                        transaction
                                .handle()
                                .createUpdate(
                                        """
                                        INSERT INTO sandboxes
                                          (id, tenant_id, agent_name, state, workspace_dir,
                                           created_at, last_used_at)
                                        VALUES (:id, 'default', 'test', 'warm', '/w', 1, 1)
                                        """)
                                .bind("id", sandbox.value())
                                .execute());

        write(transaction -> store.setSandbox(transaction, id, sandbox, SessionRows.ISOLATION, 7));

        assertThat(row("sandboxes"))
                .containsEntry("session_id", id.value())
                .containsEntry("state", "waiting");
    }

    @Test
    void replacesConfigurationOfOneSession() {
        insert(SessionRows.starting(TENANT, id));
        var other = insert(SessionRows.starting(TENANT, SessionId.random()));

        store.configure(id, SessionRows.CONFIG, SessionRows.POLICY);

        assertThat(find().config()).isEqualTo(SessionRows.CONFIG);
        assertThat(find().policy()).isEqualTo(SessionRows.POLICY);
        assertThat(store.find(other.id())).contains(other);
        assertThat(count("sessions WHERE model IS NOT NULL")).isEqualTo(1);
    }

    @Test
    void keepsPermissionModeIfConfigurationHasNone() {
        insert(SessionRows.starting(TENANT, id));
        store.configure(id, EngineConfig.NONE, SessionRows.POLICY);
        assertThat(find().permissionMode()).isEqualTo("ask");

        var bypass =
                SessionSetup.update(
                        EngineConfig.NONE,
                        SessionApi.UpdateConfig.permissionMode("bypassPermissions"));
        store.configure(id, bypass, SessionRows.POLICY);

        assertThat(find().permissionMode()).isEqualTo("bypassPermissions");
    }

    @Test
    void readsRowsOfEarlierVersionsWithDefaults() {
        insert(SessionRows.starting(TENANT, id));
        update("UPDATE sessions SET wall = NULL");

        assertThat(find().policy()).isEqualTo(IsolationPolicy.DEFAULT);
    }

    @Test
    void readsUsageTotals() {
        insert(SessionRows.starting(TENANT, id));
        update(
                """
                UPDATE sessions
                SET input_tokens = ?,
                    output_tokens = 2,
                    cache_creation_tokens = 3,
                    cache_read_tokens = 4,
                    cost_micro_usd = 1500000
                """,
                LATE);

        assertThat(find().usage()).isEqualTo(new SessionUsage(LATE, 2, 3, 4, 1.5));
    }

    @Test
    void storesThatSessionIsSetUp() {
        insert(SessionRows.starting(TENANT, id));
        var other = insert(SessionRows.starting(TENANT, SessionId.random()));
        assertThat(store.isSetUp(id)).isFalse();

        store.markSetUp(id);

        assertThat(store.isSetUp(id)).isTrue();
        assertThat(store.isSetUp(other.id())).isFalse();
        assertThat(store.isSetUp(SessionId.random())).isFalse();
    }

    @Test
    void storesTimeOfLastActivity() {
        insert(SessionRows.starting(TENANT, id));

        write(transaction -> store.touch(transaction, id, LATE));

        assertThat(find().times()).isEqualTo(new SessionRow.Times(0, LATE));
    }

    @Test
    void readsStatusDetails() {
        insert(SessionRows.starting(TENANT, id));
        assertThat(store.statusDetails(TENANT, id)).contains(StatusDetails.STARTING);
        assertThat(store.statusDetails(OTHER_TENANT, id)).isEmpty();
        for (var status : SessionStatus.values()) {
            for (var by : PausedBy.values()) {
                update(
                        "UPDATE sessions SET status = ?, paused_by = ?, error = ?",
                        status.wire(),
                        by.wire(),
                        TEXT);

                var details = new StatusDetails(status, by, TEXT);
                assertThat(store.statusDetails(TENANT, id)).contains(details);
                assertThat(find().statusDetails()).isEqualTo(details);
            }
        }
    }

    @Test
    void listsSessionsOfTenantNewestFirst() {
        var b = insert("bbbbbbbb-0000-0000-0000-000000000000", 1);
        var a = insert("aaaaaaaa-0000-0000-0000-000000000000", 1);
        var newest = insert("cccccccc-0000-0000-0000-000000000000", LATE);
        insert(OTHER_TENANT, "agent", 5);

        assertThat(list(all(TENANT))).containsExactly(newest.id(), a.id(), b.id());
        assertThat(store.count(all(TENANT))).isEqualTo(3);
        var page = new Filter(TENANT, Optional.empty(), Optional.empty(), 1, 1);
        assertThat(list(page)).containsExactly(a.id());
        assertThat(store.count(page)).as("of all pages").isEqualTo(3);
        assertThat(store.list(all(TENANT), row -> row)).contains(newest, a, b);
    }

    @Test
    void listsSessionsByAgentOrStatus() {
        var active = insertWith(SessionStatus.ACTIVE);
        var other = insert(TENANT, "other", 0);

        var ofAgent = new Filter(TENANT, Optional.of("other"), Optional.empty(), 10, 0);
        assertThat(list(ofAgent)).containsExactly(other.id());
        assertThat(store.count(ofAgent)).isEqualTo(1);
        var ofStatus =
                new Filter(TENANT, Optional.empty(), Optional.of(SessionStatus.ACTIVE), 9, 0);
        assertThat(list(ofStatus)).containsExactly(active.id());
        assertThat(store.count(ofStatus)).isEqualTo(1);
        var ofBoth =
                new Filter(TENANT, Optional.of("other"), Optional.of(SessionStatus.ACTIVE), 9, 0);
        assertThat(list(ofBoth)).isEmpty();
        assertThat(store.count(ofBoth)).isZero();
    }

    @Test
    void listsSessionsByIdPrefix() {
        var low = insert("abf00000-0000-0000-0000-000000000000", 2);
        var high = insert("abffffff-ffff-ffff-ffff-ffffffffffff", 1);
        insert("abe00000-0000-0000-0000-000000000000", 0);
        insert("ac000000-0000-0000-0000-000000000000", 0);

        assertThat(list(withPrefix("abf"))).containsExactly(low.id(), high.id());
        assertThat(store.count(withPrefix("abf"))).isEqualTo(2);
        assertThat(list(withPrefix(low.id().value()))).containsExactly(low.id());
        assertThat(list(withPrefix("ab%"))).isEmpty();
        assertThat(list(withPrefix("ab_"))).isEmpty();
        assertThat(list(withPrefix(TEXT))).isEmpty();
    }

    @Test
    void findsSessionsOfAgentThatHaveNotEnded() {
        var notEnded =
                Stream.of(SessionStatus.values())
                        .map(this::insertWith)
                        .filter(row -> row.status() != SessionStatus.ENDED)
                        .toList();
        insert(TENANT, "other", 0);

        assertThat(store.notEnded("id-of-agent")).containsExactlyInAnyOrderElementsOf(notEnded);
        assertThat(store.notEnded("agent")).as("by id").isEmpty();
    }

    @Test
    void findsRecoverableSessions() {
        var starting = insertWith(SessionStatus.STARTING);
        var running = insertWith(SessionStatus.ACTIVE);
        insertSandbox(running, "running", "nonce");
        var asleep = insertWith(SessionStatus.ACTIVE);
        insertSandbox(asleep, "cold", "old nonce");
        var paused = insertWith(SessionStatus.PAUSED);
        insertSandbox(paused, "waiting", TEXT);
        insertSandbox(insertWith(SessionStatus.PAUSED), "cold", "nonce");
        insertSandbox(insertWith(SessionStatus.ENDED), "running", "nonce");
        insertWith(SessionStatus.ERROR);

        assertThat(store.recoverable())
                .containsExactlyInAnyOrder(
                        new RecoverableSession(starting, null, false),
                        new RecoverableSession(running, "nonce", false),
                        new RecoverableSession(asleep, null, true),
                        new RecoverableSession(paused, TEXT, false));
    }

    @Test
    void countsActiveSessionsOfAllTenants() {
        Stream.of(SessionStatus.values()).forEach(this::insertWith);
        insert(OTHER_TENANT, "agent", 0);
        assertThat(store.countActive()).isEqualTo(1);

        update("UPDATE sessions SET status = 'active' WHERE tenant_id = ?", OTHER_TENANT.value());

        assertThat(store.countActive()).isEqualTo(2);
    }

    @Test
    void rollbackStoresNothing() {
        var row = insert(SessionRows.starting(TENANT, id));

        rollBack(
                transaction -> {
                    store.insert(transaction, SessionRows.starting(TENANT, SessionId.random()));
                    store.setSandbox(transaction, id, SandboxId.random(), SessionRows.ISOLATION, 7);
                    store.touch(transaction, id, LATE);
                });

        assertThat(store.list(all(TENANT), each -> each)).containsExactly(row);
    }
}
