package dev.ash.server.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ash.protocol.AgentName;
import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.SandboxId;
import dev.ash.protocol.SessionId;
import dev.ash.protocol.TenantId;
import dev.ash.protocol.TurnId;
import java.io.IOException;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Base class of store tests, which run on every {@link TestDatabase}. Each test has an empty
 * database, and the tests must execute each statement of the stores in {@link Covers}.
 */
@ParameterizedClass
@EnumSource(TestDatabase.class)
@ExtendWith(StatementCoverage.class)
public abstract class StoreContract {
    /** Text with characters of one to four bytes and special characters of SQL and LIKE. */
    protected static final String TEXT = "aé€🦊𝒜 'quoted' \"%_\\ \n?:x";

    /** A time that exceeds 32 bits in seconds and in milliseconds. */
    protected static final long LATE = 253_402_300_799_999L;

    protected static final TenantId TENANT = new TenantId("tenant-a");
    protected static final TenantId OTHER_TENANT = new TenantId("tenant-b");

    /** The stores, or the classes with their statements, that a contract covers. */
    @Target(ElementType.TYPE)
    @Retention(RetentionPolicy.RUNTIME)
    public @interface Covers {
        Class<?>[] value();
    }

    @Parameter TestDatabase kind;
    @TempDir Path directory;
    protected Database database;

    @BeforeEach
    final void openDatabase() throws IOException {
        database = kind.open(directory, StatementCoverage.recorder(getClass()));
    }

    @AfterEach
    final void closeDatabase() {
        database.close();
    }

    protected final Path directory() {
        return directory;
    }

    protected static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** Runs statements in a separate transaction. */
    protected final void write(Consumer<Transaction> work) {
        database.writer()
                .write(
                        transaction -> {
                            work.accept(transaction);
                            return true;
                        });
    }

    /** Runs statements in a transaction that is then rolled back. */
    protected final void rollBack(Consumer<Transaction> work) {
        assertThatThrownBy(
                        () ->
                                write(
                                        transaction -> {
                                            work.accept(transaction);
                                            throw new ApiException(
                                                    ErrorCode.INTERNAL, "rolled back");
                                        }))
                .hasMessageContaining("rolled back");
    }

    /** Returns once all submitted writes are committed. */
    protected final void awaitWriter() {
        database.writer().write(_ -> true);
    }

    /** Runs the calls concurrently, each on its own thread, and returns their results. */
    protected static <T> List<T> concurrently(int count, IntFunction<Callable<T>> call) {
        var begin = new CountDownLatch(1);
        var results = new ArrayList<CompletableFuture<T>>();
        for (int i = 0; i < count; i++) {
            var one = call.apply(i);
            var result = new CompletableFuture<T>();
            results.add(result);
            Thread.ofVirtual()
                    .start(
                            () -> {
                                try {
                                    begin.await();
                                    result.complete(one.call());
                                } catch (Exception e) {
                                    result.completeExceptionally(e);
                                }
                            });
        }
        begin.countDown();
        return results.stream()
                .map(result -> result.orTimeout(20, TimeUnit.SECONDS).join())
                .toList();
    }

    protected final long count(String table) {
        return database.read(
                handle ->
                        handle.createQuery("SELECT count(*) FROM <table>")
                                .define("table", table)
                                .mapTo(Long.class)
                                .one());
    }

    /** Returns the only row of a table as a map by column name. */
    protected final Map<String, Object> row(String table) {
        assertThat(count(table)).isEqualTo(1);
        return database.read(
                handle ->
                        handle.createQuery("SELECT * FROM <table>")
                                .define("table", table)
                                .map(RowMap::of)
                                .one());
    }

    /** Inserts a session row with the columns that other stores read. */
    protected final void insertSession(TenantId tenant, SessionId id, SandboxId sandbox) {
        insertSession(tenant, id, sandbox, "agent-id", "active");
    }

    protected final void insertSession(
            TenantId tenant, SessionId id, SandboxId sandbox, String agentId, String status) {
        update(
                """
                INSERT INTO sessions
                  (id, tenant_id, agent_id, agent_name, agent_version, sandbox_id, status, engine,
                   permission_mode, settings, isolation, created_at, last_active_at)
                VALUES (?, ?, ?, ?, 3, ?, ?, 'demo', 'ask', ?, 'bwrap', 0, 0)
                """,
                id.value(),
                tenant.value(),
                agentId,
                new AgentName("agent").value(),
                sandbox.value(),
                status,
                new byte[] {0});
    }

    protected final void insertSession(TenantId tenant, SessionId id) {
        insertSession(tenant, id, SandboxId.random());
    }

    protected final void insertTerminal(TenantId tenant, SessionId id) {
        update(
                """
                INSERT INTO hook_sessions
                  (id, tenant_id, directory, title, status, created_at, seen_at)
                VALUES (?, ?, '', '', 'active', 0, 0)
                """,
                id.value(),
                tenant.value());
    }

    protected final void insertTurn(SessionId session, TurnId turn, String status) {
        update(
                """
                INSERT INTO turns (id, session_id, origin, status, started_at)
                VALUES (?, ?, 'client', ?, 0)
                """,
                turn.value(),
                session.value(),
                status);
    }

    protected final void insertPurge(TenantId tenant, SessionId session) {
        update(
                """
                INSERT INTO purges (session_id, tenant_id, sandbox_id, begun_at)
                VALUES (?, ?, 'sandbox', 0)
                """,
                session.value(),
                tenant.value());
    }

    protected final void update(String sql, Object... parameters) {
        write(transaction -> transaction.handle().execute(sql, parameters));
    }

    protected static long millis(Duration duration) {
        return duration.toMillis();
    }
}
