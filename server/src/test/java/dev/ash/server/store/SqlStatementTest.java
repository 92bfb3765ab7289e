package dev.ash.server.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import org.jdbi.v3.core.statement.UnableToCreateStatementException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Checks statements with parameters and attributes on a real database. */
class NamedParametersTest {
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
    void bindsPositionalParametersAndTextAtTheEnd() {
        var sum =
                database.read(
                        handle ->
                                handle.createQuery("SELECT ? + ?")
                                        .bind(0, 1)
                                        .bind(1, 2)
                                        .mapTo(int.class)
                                        .one());
        var quoted =
                database.read(
                        handle -> handle.createQuery("SELECT ':x'").mapTo(String.class).one());

        assertThat(sum).isEqualTo(3);
        assertThat(quoted).isEqualTo(":x");
    }

    @Test
    void doesNotBindCasts() {
        var parsed = NamedParameters.parse("SELECT :a::text, b::int");

        assertThat(parsed.getSql()).isEqualTo("SELECT ?::text, b::int");
        assertThat(parsed.getParameters().getParameterNames()).containsExactly("a");
    }

    @Test
    void replacesAttributesAndLists() {
        var count =
                database.read(
                        handle ->
                                handle.createQuery(
                                                "SELECT count(*) FROM (<rows>) WHERE n IN (<ids>) AND n<4")
                                        .define(
                                                "rows",
                                                "SELECT 1 AS n UNION SELECT 3 UNION SELECT 5")
                                        .bindList("ids", List.of(3, 5))
                                        .mapTo(int.class)
                                        .one());

        assertThat(count).isEqualTo(1);
    }

    @Test
    void rejectsUndefinedAttributes() {
        assertThatThrownBy(
                        () ->
                                database.read(
                                        handle ->
                                                handle.createQuery("SELECT * FROM <missing>")
                                                        .mapTo(int.class)
                                                        .one()))
                .isInstanceOf(UnableToCreateStatementException.class)
                .hasMessageContaining("<missing>");
    }
}
