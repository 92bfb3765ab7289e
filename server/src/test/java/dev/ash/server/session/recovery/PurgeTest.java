package dev.ash.server.session.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.SessionId;
import dev.ash.protocol.TenantId;
import dev.ash.protocol.TurnId;
import dev.ash.protocol.json.RawJson;
import dev.ash.protocol.rest.SessionApi;
import dev.ash.server.egress.model.CallBudget;
import dev.ash.server.egress.model.ModelUsage;
import dev.ash.server.event.EventPolls;
import dev.ash.server.event.EventStore;
import dev.ash.server.event.EventViews;
import dev.ash.server.event.NewEvent;
import dev.ash.server.event.ViewRow;
import dev.ash.server.session.lifecycle.SessionPurger;
import dev.ash.server.session.live.NewTurn;
import dev.ash.server.session.live.TurnLog;
import dev.ash.server.session.store.IdempotencyKey;
import dev.ash.server.spending.SessionBudget;
import dev.ash.server.spending.SessionBudgets;
import dev.ash.server.store.Database;
import dev.ash.server.store.FreePages;
import dev.ash.server.store.KillPoint;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class PurgeTest {
    private static final TenantId TENANT = CrashServer.TENANT;
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
                    "reservations",
                    "purges");

    /** Exceeds one batch in bytes. */
    private static final int EVENTS = 11;

    private static final String TEXT = "x".repeat(100 * 1024);

    @TempDir Path directory;
    private CrashServer.Template template;
    private FakeHost host;
    private final List<CrashServer> servers = new ArrayList<>();

    @BeforeEach
    void prepare() throws IOException {
        ServerLifetime.installProbe();
        template = CrashServer.Template.create(Files.createDirectory(directory.resolve("t")));
        host = new FakeHost(directory);
    }

    @AfterEach
    void releaseServers() {
        servers.forEach(CrashServer::release);
    }

    private CrashServer server(Path file, ServerLifetime.KillTrigger trigger) {
        var server = new CrashServer(template, file, host, new ServerLifetime(trigger, 1));
        servers.add(server);
        return server;
    }

    private CrashServer server(Path file) {
        return server(file, ServerLifetime.KillTrigger.NEVER);
    }

    private Path file(String name) {
        return copy(template.directory().resolve("ash.db"), name);
    }

    private Path copy(Path database, String name) {
        try {
            var copy = directory.resolve(name);
            Files.copy(database, copy);
            var log = Path.of(database + "-wal");
            if (Files.exists(log)) {
                Files.copy(log, Path.of(copy + "-wal"));
            }
            return copy;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Creates an ended session with rows in every table with a session id. */
    private static SessionId endedSession(CrashServer server) {
        var request = SessionApi.CreateSession.builder(CrashServer.AGENT).build();
        var key = new IdempotencyKey("key-" + System.nanoTime(), "hash");
        var id = server.sessions.register(TENANT, request, Optional.of(key)).id();
        for (int i = 0; i < EVENTS; i++) {
            var turn = TurnId.random();
            server.core
                    .events()
                    .append(
                            id,
                            List.of(NewEvent.prompt(id, turn, RawJson.string(TEXT))),
                            (_, _) -> {});
            update(
                    server.database,
                    "INSERT INTO turns (id, session_id, origin, status, started_at) VALUES ('%s',"
                            + " '%s', 'client', 'done', 0)",
                    turn,
                    id);
        }
        update(
                server.database,
                "INSERT INTO approvals (id, tenant_id, session_id, kind, tool, input, status,"
                        + " created_at, bridge_id, question, n) VALUES ('%1$s', '%2$s', '%1$s',"
                        + " 'tool', 'Bash', '{}', 'approved', 0, 'b', 'q', 1)",
                id,
                TENANT);
        update(server.database, "INSERT INTO approval_rules VALUES ('%s', 'Bash', 0)", id);
        update(server.database, "INSERT INTO device_cursors VALUES ('phone', '%s', 1)", id);
        update(
                server.database,
                "INSERT INTO device_requests VALUES ('q-%1$s', 'phone', '%1$s', 'd', 'c', 0)",
                id);
        update(
                server.database,
                "INSERT INTO notifications VALUES ('phone', 'n-%1$s', '%1$s', 's', '{}', 0)",
                id);
        update(
                server.database,
                "INSERT INTO reservations VALUES ('r-%1$s', '%2$s', 'a', '%1$s', '2030-01-01',"
                        + " 'local', 1, 1, 1, 0)",
                id,
                TENANT);
        server.sessions.end(TENANT, id, "ended");
        return id;
    }

    private static void update(Database database, String sql, Object... values) {
        database.writer().write(t -> t.handle().createUpdate(sql.formatted(values)).execute());
    }

    private static long rows(CrashServer server, String table, SessionId session) {
        return server.database.read(
                handle ->
                        handle.createQuery(
                                        "SELECT count(*) FROM " + table + " WHERE session_id = :id")
                                .bind("id", session.value())
                                .mapTo(Long.class)
                                .one());
    }

    private static void assertRemoved(CrashServer server, SessionId session) {
        assertNotFound(server, session);
        assertThat(TABLES).allSatisfy(table -> assertThat(rows(server, table, session)).isZero());
    }

    private static void assertNotFound(CrashServer server, SessionId session) {
        assertThatThrownBy(() -> server.sessions.find(TENANT, session))
                .isInstanceOfSatisfying(
                        ApiException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.SESSION_NOT_FOUND));
    }

    @Test
    void removesAllRowsOfOneSessionOnly() throws Exception {
        var server = server(file("db"));
        var kept = endedSession(server);
        var removed = endedSession(server);
        assertThat(TABLES.subList(0, TABLES.size() - 1))
                .allSatisfy(table -> assertThat(rows(server, table, removed)).isPositive());
        long events = rows(server, "events", kept);

        server.purger.purge(TENANT, removed);
        server.purger.removeRows();

        assertRemoved(server, removed);
        assertThat(server.sessions.find(TENANT, kept).id()).isEqualTo(kept);
        assertThat(rows(server, "events", kept)).isEqualTo(events);
        assertThat(rows(server, "turns", kept)).isEqualTo(EVENTS);
        assertThatThrownBy(() -> server.purger.purge(TENANT, removed))
                .isInstanceOf(ApiException.class)
                .hasMessageContaining("not found");
        assertThatThrownBy(() -> server.purger.purge(new TenantId("other"), kept))
                .isInstanceOf(ApiException.class)
                .hasMessageContaining("not found");
    }

    @Test
    void coversEveryTableWithRowsOfSessions() {
        var server = server(file("db"));

        var tables =
                server.database.read(
                        handle ->
                                handle.createQuery(
                                                "SELECT DISTINCT m.name FROM sqlite_master m,"
                                                        + " pragma_table_info(m.name) c WHERE m.type"
                                                        + " = 'table' AND c.name = 'session_id'")
                                        .mapTo(String.class)
                                        .list());

        // The runner removes the rows of sandboxes with the sandboxes.
        assertThat(tables)
                .containsExactlyInAnyOrderElementsOf(
                        Stream.concat(TABLES.stream(), Stream.of("sandboxes")).toList());
    }

    @Test
    void rejectsEventsAndChargesNoCallsAfterRemoval() throws Exception {
        var server = server(file("db"));
        var id = endedSession(server);
        var budget =
                new SessionBudgets(server.database, Clock.systemUTC())
                        .open(id, new SessionBudget.Limits(10.0, null));
        var estimate = new ModelUsage("", 1, 0, 0, 1, 0.1, true, false);
        var call = ((CallBudget.Admission.Admitted) budget.admit(estimate)).call();
        server.purger.purge(TENANT, id);

        assertThatThrownBy(
                        () ->
                                server.core
                                        .events()
                                        .append(
                                                id,
                                                List.of(
                                                        NewEvent.prompt(
                                                                id,
                                                                TurnId.random(),
                                                                RawJson.string("late"))),
                                                (_, _) -> {}))
                .isInstanceOf(ApiException.class)
                .hasMessageContaining("not found");
        assertThat(budget.admit(estimate)).isInstanceOf(CallBudget.Admission.Rejected.class);
        server.purger.removeRows();
        call.settle(estimate);
        server.core.events().flush();

        assertRemoved(server, id);
    }

    @ParameterizedTest
    @EnumSource(names = {"WRITE_BEGUN", "WRITE_COMMITTED"})
    void completesInterruptedPurgeAfterKillAtAnyWrite(KillPoint point) throws Exception {
        var first = server(file("first"));
        var id = endedSession(first);
        var sandbox = first.sessions.find(TENANT, id).sandbox();
        long events = rows(first, "events", id);
        host.launch(sandbox, "left")
                .end(FakeBridge.End.KILLED_BY_SERVER); // creates files to remove
        var states = new ArrayList<String>();
        boolean wasKilled = true;
        for (int n = 1; wasKilled; n++) {
            var file = copy(directory.resolve("first"), point + "-" + n);
            var killed = server(file, new ServerLifetime.KillTrigger(point, n));
            wasKilled = !purge(killed, id);

            var next = server(copy(file, point + "-next-" + n));
            var row = next.core.sessions().find(TENANT, id);
            if (row.isPresent()) {
                assertThat(rows(next, "events", id)).isEqualTo(events);
                assertThat(rows(next, "purges", id)).isZero();
                states.add("whole");
            } else {
                states.add(rows(next, "purges", id) > 0 ? "partial" : "gone");
                next.purger.removeRows();
                assertRemoved(next, id);
                assertThat(host.hasHome(sandbox)).isFalse();
            }
        }
        assertThat(states).contains("whole", "partial").endsWith("gone");
        assertThat(states.stream().filter("partial"::equals).count())
                .as("batches")
                .isGreaterThanOrEqualTo(EVENTS * TEXT.length() / (1024 * 1024));
    }

    /** Returns whether the server survived the purge. */
    private static boolean purge(CrashServer server, SessionId id) {
        try {
            return server.call(
                    () -> {
                        server.purger.purge(TENANT, id);
                        try {
                            server.purger.removeRows();
                        } catch (InterruptedException e) {
                            return false;
                        }
                        return true;
                    });
        } catch (ServerLifetime.Killed e) {
            return false;
        }
    }

    @Test
    void removesOnlySessionsWhoseRetentionHasExpired() throws Exception {
        var server = server(file("db"));
        var old = endedSession(server);
        var young = endedSession(server);
        var request = SessionApi.CreateSession.builder(CrashServer.AGENT).build();
        var open = server.sessions.register(TENANT, request, Optional.empty()).id();
        var now = Instant.parse("2030-01-31T00:00:00Z");
        long week = Duration.ofDays(7).toMillis();
        for (var id : List.of(old, open)) {
            update(
                    server.database,
                    "UPDATE sessions SET created_at = 0, last_active_at = 0 WHERE id = '%s'",
                    id);
        }
        setEnd(server, old, now.toEpochMilli() - week - 1);
        setEnd(server, young, now.toEpochMilli() - week);
        var clock = Clock.fixed(now, ZoneOffset.UTC);

        expire(server, clock, Optional.empty());
        assertThat(server.core.sessions().find(TENANT, old)).isPresent();
        expire(server, clock, Optional.of(Duration.ofDays(7)));

        assertRemoved(server, old);
        assertThat(server.core.sessions().find(TENANT, young)).isPresent();
        assertThat(server.core.sessions().find(TENANT, open)).isPresent();
    }

    private static void setEnd(CrashServer server, SessionId id, long time) {
        update(server.database, "UPDATE sessions SET ended_at = %d WHERE id = '%s'", time, id);
    }

    private static void expire(CrashServer server, Clock clock, Optional<Duration> retention)
            throws InterruptedException {
        new SessionPurger(
                        server.database,
                        server.sessions,
                        server.live,
                        server.core,
                        clock,
                        retention)
                .work()
                .run();
    }

    @Test
    void closesSubscriptionsOfRemovedSession() throws Exception {
        var server = server(file("db"));
        var id = endedSession(server);
        var store = new EventStore(server.database);
        var polls = new EventPolls(new EventViews(store), server.core.events());
        long last = server.core.events().lastSeq(id);
        try (var live = server.core.events().subscribeLive(id);
                var behind = server.core.events().subscribe(id, 0)) {
            var poll =
                    CompletableFuture.supplyAsync(
                            () -> {
                                var rows = new ArrayList<ViewRow>();
                                try {
                                    polls.awaitEvents(
                                            TENANT,
                                            id,
                                            last + 1000,
                                            10,
                                            Optional.empty(),
                                            Duration.ofSeconds(50),
                                            rows::add);
                                } catch (IOException | InterruptedException e) {
                                    throw new IllegalStateException(e);
                                }
                                return rows;
                            });

            server.purger.purge(TENANT, id);

            assertThat(live.nextBatch(Duration.ofSeconds(50))).isEmpty();
            assertThat(live.isClosed()).isTrue();
            assertThat(behind.nextBatch(Duration.ofSeconds(50))).isEmpty();
            assertThat(behind.isClosed()).isTrue();
            assertThat(poll.get(30, TimeUnit.SECONDS)).isEmpty();
        }
        try (var late =
                server.core
                        .events()
                        .subscribe(id, 0)) { // a request that found the session before its removal
            assertThat(late.nextBatch(Duration.ofSeconds(50))).isEmpty();
            assertThat(late.isClosed()).isTrue();
        }
    }

    @Test
    void shrinksDatabaseFileAfterPurge() throws Exception {
        var server = server(file("db"));
        server.purger.purge(TENANT, endedSession(server));
        server.purger.removeRows();
        long before = pages(server, "page_count");
        assertThat(pages(server, "freelist_count")).isGreaterThan(250);

        new FreePages(server.database, 10).release();

        assertThat(pages(server, "freelist_count")).isLessThanOrEqualTo(10);
        assertThat(pages(server, "page_count")).isLessThanOrEqualTo(before - 240);
    }

    private static long pages(CrashServer server, String pragma) {
        return server.database.read(
                handle -> handle.createQuery("PRAGMA " + pragma).mapTo(Long.class).one());
    }

    @Test
    void storesPromptOnceAndRestoresItForResend() {
        var server = server(file("db"));
        var request = SessionApi.CreateSession.builder(CrashServer.AGENT).build();
        var row = server.sessions.register(TENANT, request, Optional.empty());
        var turn = TurnId.random();
        var content = RawJson.string("a prompt " + TEXT);
        var query =
                new dev.ash.protocol.bridge.BridgeCommand.Query(
                        content,
                        row.id().value(),
                        turn.value(),
                        new dev.ash.protocol.bridge.TurnOptions(
                                true, null, null, null, null, null, null));
        TurnLog.begin(
                server.core,
                row.id(),
                new NewTurn(
                        turn,
                        query,
                        NewEvent.prompt(row.id(), turn, content),
                        true,
                        0,
                        (_, _) -> {}));

        long stored =
                server.database.read(
                        handle ->
                                handle.createQuery("SELECT sum(length(query)) FROM turns")
                                        .mapTo(Long.class)
                                        .one());
        assertThat(stored).isLessThan(1000);
        assertThat(
                        server.core
                                .turns()
                                .query(
                                        new dev.ash.protocol.TurnId(
                                                java.util.Objects.requireNonNull(query.turnId()))))
                .contains(query);
        update( // as an earlier version stored it
                server.database,
                "UPDATE turns SET query = CAST('%s' AS BLOB)",
                dev.ash.protocol.bridge.BridgeProtocol.encode(query));
        assertThat(
                        server.core
                                .turns()
                                .query(
                                        new dev.ash.protocol.TurnId(
                                                java.util.Objects.requireNonNull(query.turnId()))))
                .contains(query);
    }
}
