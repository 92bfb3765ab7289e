package dev.ash.server.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ash.protocol.ApiException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StatementCacheTest {
    private static final String ADD = "SELECT :a + :b";

    @TempDir Path directory;
    private final List<String> prepared = new ArrayList<>();
    private Database database;

    @BeforeEach
    void open() {
        database =
                Database.open(
                        directory.resolve("ash.db"),
                        source -> source,
                        ConnectionInterceptor.before(
                                (method, argument) -> {
                                    if (method.equals("prepareStatement")) {
                                        prepared.add(String.valueOf(argument));
                                    }
                                }));
    }

    @AfterEach
    void close() {
        database.close();
    }

    @Test
    void preparesRepeatedStatementOnce() {
        for (int i = 0; i < 10; i++) {
            assertThat(add(i, 1)).isEqualTo(i + 1);
        }

        assertThat(prepared).containsExactly("SELECT ? + ?");
    }

    @Test
    void bindsNullAfterValue() {
        assertThat(orSeven(1)).isEqualTo(1);
        assertThat(orSeven(null)).isEqualTo(7);
        assertThat(prepared).hasSize(1);
    }

    private int orSeven(@Nullable Integer value) {
        return database.read(
                h ->
                        h.createQuery("SELECT coalesce(:value, 7)")
                                .bind("value", value)
                                .mapTo(Integer.class)
                                .one());
    }

    @Test
    void runsTheSameStatementInsideItself() {
        int sum =
                database.read(
                        h ->
                                h.createQuery(ADD)
                                        .bind("a", 1)
                                        .bind("b", 2)
                                        .map(
                                                row ->
                                                        row.getInt(1)
                                                                + h.createQuery(ADD)
                                                                        .bind("a", 10)
                                                                        .bind("b", 20)
                                                                        .mapTo(Integer.class)
                                                                        .one())
                                        .one());

        assertThat(sum).isEqualTo(33);
        assertThat(add(2, 3)).isEqualTo(5);
        assertThat(prepared).hasSize(2);
    }

    @Test
    void keepsLimitedNumberOfStatements() {
        for (int i = 0; i <= StatementCache.MAX_IDLE; i++) {
            read("SELECT " + i);
        }
        prepared.clear();

        assertThat(read("SELECT " + StatementCache.MAX_IDLE)).isEqualTo(StatementCache.MAX_IDLE);
        assertThat(prepared).isEmpty();
        assertThat(read("SELECT 0")).isZero();
        assertThat(prepared).containsExactly("SELECT 0");
    }

    /** A statement that still ran would keep its snapshot of the database. */
    @Test
    void readsNewRowsAfterPartialRead() {
        database.writer()
                .execute(t -> t.handle().createUpdate("CREATE TABLE numbers (n)").execute());
        for (int i = 0; i < 3; i++) {
            int value = i;
            database.writer()
                    .execute(
                            t ->
                                    t.handle()
                                            .createUpdate("INSERT INTO numbers VALUES (:n)")
                                            .bind("n", value)
                                            .execute());
            assertThat(read("SELECT n FROM numbers ORDER BY n DESC")).isEqualTo(i);
        }
    }

    @Test
    void reusesStatementThatFailed() {
        database.writer()
                .execute(t -> t.handle().createUpdate("CREATE TABLE keys (k UNIQUE)").execute());
        insertKey(1);

        assertThatThrownBy(() -> insertKey(1)).isInstanceOf(ApiException.class);
        insertKey(2);

        assertThat(read("SELECT count(*) FROM keys")).isEqualTo(2);
    }

    private void insertKey(int key) {
        database.writer()
                .execute(
                        t ->
                                t.handle()
                                        .createUpdate("INSERT INTO keys VALUES (:k)")
                                        .bind("k", key)
                                        .execute());
    }

    private int add(int a, int b) {
        return database.read(
                h -> h.createQuery(ADD).bind("a", a).bind("b", b).mapTo(Integer.class).one());
    }

    private int read(String sql) {
        return database.read(
                h -> h.createQuery(sql).mapTo(Integer.class).findFirst().orElseThrow());
    }
}
