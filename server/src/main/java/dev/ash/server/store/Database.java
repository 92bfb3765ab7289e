package dev.ash.server.store;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.JdbiException;
import org.jdbi.v3.core.statement.ColonPrefixSqlParser;
import org.jdbi.v3.core.statement.SqlParser;
import org.jdbi.v3.core.statement.SqlStatements;
import org.sqlite.SQLiteConfig;
import org.sqlite.SQLiteDataSource;

/**
 * The SQLite database of a data directory: a pool of connections that only read, and one writer.
 * WAL lets readers go on while the writer commits; FULL means that what was committed survives a
 * power cut.
 */
public final class Database implements AutoCloseable {
    static final String SCHEMA_VERSION = "15";

    private static final String LATEST_MIGRATION =
            """
            SELECT version
            FROM schema_history
            WHERE success
            ORDER BY installed_rank DESC
            LIMIT 1
            """;

    /** Remembers what it has parsed; a statement is the same for readers, writer and all files. */
    private static final SqlParser PARSER = new ColonPrefixSqlParser();

    private static final int WAL_BYTES = 64 * 1024 * 1024;

    private final Path file;
    private final Readers readers;
    private final Jdbi reading;
    private final Writer writer;

    private Database(Path file, Readers readers, Writer writer) {
        this.file = file;
        this.readers = readers;
        this.reading = parsingOnce(Jdbi.create(readers));
        this.writer = writer;
    }

    public static Database open(Path file) {
        return open(file, source -> source);
    }

    /** The writer's connections go through {@code seam}, where tests let them fail. */
    static Database open(Path file, UnaryOperator<DataSource> seam) {
        return open(file, seam, source -> source);
    }

    /** The same; {@code readers} is for the connections that only read. */
    static Database open(
            Path file, UnaryOperator<DataSource> seam, UnaryOperator<DataSource> readers) {
        try {
            createPrivate(file);
            prepareEmpty(file);
            var source = seam.apply(source(file));
            migrate(source);
            var writer = new Writer(parsingOnce(Jdbi.create(source)));
            return new Database(file, new Readers(readers.apply(source(file))), writer);
        } catch (IOException e) {
            throw new ApiException(
                    ErrorCode.INTERNAL,
                    "Cannot create the database %s: %s".formatted(file, e.getMessage()),
                    e);
        } catch (SQLException | JdbiException | FlywayException e) {
            throw new ApiException(
                    StoreFailures.code(e),
                    "Cannot open the database %s: %s".formatted(file, reason(file, e)),
                    e);
        }
    }

    private static Jdbi parsingOnce(Jdbi jdbi) {
        return jdbi.configure(SqlStatements.class, settings -> settings.setSqlParser(PARSER));
    }

    /** SQLite keeps files beside the first one, and says only that it cannot open. */
    private static String reason(Path file, Throwable failure) {
        var folder = file.toAbsolutePath().getParent();
        return folder == null || (Files.isWritable(folder) && Files.isWritable(file))
                ? StoreFailures.reason(failure)
                : "%s may not be written to; make it writable, or set ASH_DATA_DIR to another folder"
                        .formatted(folder);
    }

    /** SQLite gives its other files the mode of the first one. */
    private static void createPrivate(Path file) throws IOException {
        if (!Files.exists(file)) {
            Files.createFile(
                    file,
                    PosixFilePermissions.asFileAttribute(
                            PosixFilePermissions.fromString("rw-------")));
        }
    }

    /** Lets {@link FreePages} work. It can only be chosen before there is anything in the file. */
    private static void prepareEmpty(Path file) throws IOException, SQLException {
        if (Files.size(file) > 0) {
            return;
        }
        var plain = new SQLiteDataSource();
        plain.setUrl("jdbc:sqlite:" + file);
        try (var connection = plain.getConnection();
                var statement = connection.createStatement()) {
            statement.execute("PRAGMA auto_vacuum = INCREMENTAL");
            statement.execute("PRAGMA journal_mode = WAL");
        }
    }

    private static SQLiteDataSource source(Path file) {
        var config = new SQLiteConfig();
        config.setJournalMode(SQLiteConfig.JournalMode.WAL);
        config.setSynchronous(SQLiteConfig.SynchronousMode.FULL);
        config.setBusyTimeout(10_000);
        config.setJournalSizeLimit(WAL_BYTES); // after many pages were freed or moved
        config.enforceForeignKeys(true);
        config.setGetGeneratedKeys(false); // else each insert is followed by a query for its row id
        var source = new SQLiteDataSource(config);
        source.setUrl("jdbc:sqlite:" + file);
        return source;
    }

    /**
     * Flyway costs 0.4 s, so it is asked only when one query shows that the schema is not current.
     */
    private static void migrate(DataSource source) {
        if (isCurrent(source)) {
            return;
        }
        Flyway.configure()
                .dataSource(source)
                .locations("classpath:dev/ash/server/store/migration")
                .placeholders(Map.of("bytes", "BLOB"))
                .table("schema_history")
                .callbacks(new MigrationKillPoint())
                .load()
                .migrate();
    }

    private static boolean isCurrent(DataSource source) {
        try (var connection = source.getConnection();
                var statement = connection.createStatement();
                var rows = statement.executeQuery(LATEST_MIGRATION)) {
            return rows.next() && SCHEMA_VERSION.equals(rows.getString(1));
        } catch (SQLException e) {
            return false; // no such table yet; a real failure shows when Flyway connects
        }
    }

    /** Runs a query on a connection that no write waits for. */
    public <T> T read(Function<Handle, T> query) {
        return reading.withHandle(query::apply);
    }

    public Writer writer() {
        return writer;
    }

    /**
     * Removes the remains of replaced and deleted values from the database's files. Only a database
     * of at most {@code maxBytes} is rewritten, because that stops the writer meanwhile; of a
     * larger one only the write-ahead log is emptied.
     */
    public Cleaning clean(long maxBytes) {
        try (var connection = source(file).getConnection();
                var statement = connection.createStatement()) {
            long size =
                    number(statement, "PRAGMA page_count") * number(statement, "PRAGMA page_size");
            boolean small = size <= maxBytes;
            if (small) {
                statement.execute("VACUUM");
            }
            boolean emptied = number(statement, "PRAGMA wal_checkpoint(TRUNCATE)") == 0;
            return new Cleaning(small, emptied);
        } catch (SQLException e) {
            throw StoreFailures.of(e);
        }
    }

    /** What {@link #clean} did: a reader can keep the log from being emptied. */
    public record Cleaning(boolean rewritten, boolean logEmptied) {}

    private static long number(Statement statement, String query) throws SQLException {
        try (var rows = statement.executeQuery(query)) {
            return rows.next() ? rows.getLong(1) : 0;
        }
    }

    @Override
    public void close() {
        writer.close();
        readers.close();
    }
}
