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
import org.sqlite.SQLiteConfig;
import org.sqlite.SQLiteDataSource;

/**
 * The SQLite database of a data directory: a pool of read connections and one writer. WAL mode lets
 * readers run during commits; synchronous mode FULL makes commits survive a power failure.
 */
public final class Database implements AutoCloseable {
    static final String SCHEMA_VERSION = "17";

    private static final String LATEST_MIGRATION =
            """
            SELECT version
            FROM schema_history
            WHERE success
            ORDER BY installed_rank DESC
            LIMIT 1
            """;

    private static final int WAL_BYTES = 64 * 1024 * 1024;

    private final Path file;
    private final ReadConnectionPool readers;
    private final Writer writer;

    private Database(Path file, ReadConnectionPool readers, Writer writer) {
        this.file = file;
        this.readers = readers;
        this.writer = writer;
    }

    public static Database open(Path file) {
        return open(file, source -> source);
    }

    /** Wraps the writer's connections, for tests that make them fail. */
    static Database open(Path file, UnaryOperator<DataSource> wrapWriter) {
        return open(file, wrapWriter, source -> source);
    }

    /** Wraps the writer's and the read connections, for tests. */
    static Database open(
            Path file, UnaryOperator<DataSource> wrapWriter, UnaryOperator<DataSource> wrapReader) {
        try {
            createPrivate(file);
            prepareEmpty(file);
            var source = wrapWriter.apply(source(file));
            migrate(source);
            var writer = new Writer(source);
            return new Database(
                    file, new ReadConnectionPool(wrapReader.apply(source(file))), writer);
        } catch (IOException e) {
            throw new ApiException(
                    ErrorCode.INTERNAL,
                    "Cannot create the database %s: %s".formatted(file, e.getMessage()),
                    e);
        } catch (SQLException | FlywayException e) {
            throw new ApiException(
                    DatabaseErrors.code(e),
                    "Cannot open the database %s: %s".formatted(file, reason(file, e)),
                    e);
        }
    }

    /** SQLite also writes files next to the database, and does not report which one failed. */
    private static String reason(Path file, Throwable failure) {
        var directory = file.toAbsolutePath().getParent();
        return directory == null || (Files.isWritable(directory) && Files.isWritable(file))
                ? DatabaseErrors.reason(failure)
                : "%s is not writable; make it writable for this user, or set ASH_DATA_DIR to another directory"
                        .formatted(directory);
    }

    /** SQLite creates its other files with the mode of the database file. */
    private static void createPrivate(Path file) throws IOException {
        if (!Files.exists(file)) {
            Files.createFile(
                    file,
                    PosixFilePermissions.asFileAttribute(
                            PosixFilePermissions.fromString("rw-------")));
        }
    }

    /** Enables incremental vacuum ({@link FreePages}), which is possible only in an empty file. */
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
        config.setJournalSizeLimit(WAL_BYTES); // the log grows when many pages are freed or moved
        config.enforceForeignKeys(true);
        config.setGetGeneratedKeys(false); // avoids a query for the row id after each insert
        var source = new SQLiteDataSource(config);
        source.setUrl("jdbc:sqlite:" + file);
        return source;
    }

    /** Skips Flyway, which takes 0.4 s, if one query shows that the schema is current. */
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
            return false; // no such table yet; Flyway reports any other failure
        }
    }

    /** Runs a query on a read connection, concurrently with writes. */
    public <T> T read(Function<Handle, T> query) {
        var handle = readers.acquire();
        try {
            return query.apply(handle);
        } finally {
            readers.release(handle);
        }
    }

    public Writer writer() {
        return writer;
    }

    /**
     * Erases replaced and deleted values from the database's files. Rewrites only a database of at
     * most {@code maxBytes}, because the rewrite blocks the writer; in a larger one only the
     * write-ahead log is truncated.
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
            boolean truncated = number(statement, "PRAGMA wal_checkpoint(TRUNCATE)") == 0;
            return new Cleaning(small, truncated);
        } catch (SQLException e) {
            throw DatabaseErrors.toApiException(e);
        }
    }

    /** The result of {@link #clean}: a concurrent reader can prevent the truncation of the log. */
    public record Cleaning(boolean rewritten, boolean logTruncated) {}

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
