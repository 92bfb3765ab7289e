package dev.ash.server.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Checks statements with parameters and template variables on a real database. */
class SqlStatementTest {
    @TempDir Path directory;
    private Database database;

    @BeforeEach
    void open() {
        database = Database.open(directory.resolve("test.db"));
    }

    @AfterEach
    void close() {
        database.close();
    }

    @Test
    void bindsParametersOutsideOfQuotedTextAndComments() {
        var sql =
                """
                SELECT ':a' || :a || 'it''s :b' /* :c */ || "d:e" || :a_2 -- :f ?
                FROM (SELECT 5 AS "d:e") WHERE 1 < :a AND :a <> 2
                """;

        var text =
                database.read(
                        handle ->
                                handle.createQuery(sql)
                                        .bind("a", 3)
                                        .bind("a_2", "x")
                                        .mapTo(String.class)
                                        .one());

        assertThat(text).isEqualTo(":a3it's :b5x");
    }

    @Test
    void bindsEveryTypeByPosition() {
        var bytes = new byte[] {0, 1, -1};
        database.writer()
                .execute(
                        transaction -> {
                            var handle = transaction.handle();
                            handle.execute("CREATE TABLE kinds (a, b, c, d, e, f, g)");
                            handle.execute(
                                    "INSERT INTO kinds VALUES (?, ?, ?, ?, ?, ?, ?)",
                                    "it's",
                                    1,
                                    1L << 40,
                                    true,
                                    0.5,
                                    bytes,
                                    null);
                        });

        var found =
                database.read(
                        handle ->
                                handle.createQuery(
                                                "SELECT * FROM kinds WHERE a = :a AND d = :d AND g IS :g")
                                        .bind("a", "it's")
                                        .bind("d", true)
                                        .bind("g", null)
                                        .map(
                                                row ->
                                                        Arrays.asList(
                                                                row.getString("a"),
                                                                row.getInt("b"),
                                                                row.getLong("c"),
                                                                row.getDouble("e"),
                                                                row.getString("g")))
                                        .one());

        assertThat(found).containsExactly("it's", 1, 1L << 40, 0.5, null);
        byte[] stored =
                database.read(
                        handle ->
                                handle.createQuery("SELECT f FROM kinds")
                                        .map(row -> row.getBytes(1))
                                        .one());
        assertThat(stored).isEqualTo(bytes);
    }

    @Test
    void ignoresParametersInTextAtTheEnd() {
        var quoted =
                database.read(
                        handle -> handle.createQuery("SELECT ':x'").mapTo(String.class).one());

        assertThat(quoted).isEqualTo(":x");
    }

    @Test
    void doesNotBindCasts() {
        assertThat(ParsedSql.of("SELECT :a::text, b::int"))
                .isEqualTo(new ParsedSql("SELECT ?::text, b::int", List.of("a")));
    }

    @Test
    void replacesVariablesAndLists() {
        var count =
                database.read(
                        handle ->
                                handle.createQuery(
                                                "SELECT count(*) FROM (<rows>) WHERE n IN (<ids>) AND n<4")
                                        .define(
                                                "rows",
                                                "SELECT 1 AS n UNION SELECT 3 UNION SELECT 5")
                                        .bindList("ids", List.of(3, 5))
                                        .mapTo(Integer.class)
                                        .one());

        assertThat(count).isEqualTo(1);
    }

    @Test
    void rejectsMissingValues() {
        assertFails(query("SELECT * FROM <missing>"), SqlException.class, "<missing>");
        assertFails(query("SELECT :a"), IllegalStateException.class, "no value for :a");
        assertFails(
                handle -> handle.createQuery("SELECT <ids>").bindList("ids", List.of()),
                IllegalArgumentException.class,
                "<ids>");
        assertFails(
                handle -> handle.createQuery("SELECT :a").bind("a", 'x').mapTo(String.class).one(),
                IllegalArgumentException.class,
                "Character");
    }

    @Test
    void rejectsUnexpectedNumberOfRows() {
        var none = "SELECT 1 WHERE 1 = 2";
        var two = "SELECT 1 UNION SELECT 2";

        assertFails(query(none), IllegalStateException.class, "got none");
        assertFails(query(two), IllegalStateException.class, "got more");
        assertFails(
                handle -> handle.createQuery(two).mapTo(Integer.class).findOne(),
                IllegalStateException.class,
                "got more");
        assertThat(read(none)).isEmpty();
        assertThat(read("SELECT NULL")).isEmpty();
        Optional<Integer> first =
                database.read(h -> h.createQuery(two).mapTo(Integer.class).findFirst());
        assertThat(first).contains(1);
    }

    private Optional<Integer> read(String sql) {
        return database.read(handle -> handle.createQuery(sql).mapTo(Integer.class).findOne());
    }

    private static Function<Handle, Object> query(String sql) {
        return handle -> handle.createQuery(sql).mapTo(Integer.class).one();
    }

    private void assertFails(
            Function<Handle, Object> query, Class<? extends Exception> type, String message) {
        assertThatThrownBy(() -> database.read(query))
                .isInstanceOf(type)
                .hasMessageContaining(message);
    }
}
