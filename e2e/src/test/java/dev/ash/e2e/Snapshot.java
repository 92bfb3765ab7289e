package dev.ash.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Every row of a server's database and every file of its test directory. A file is described by its
 * type, owner, mode, size and times; its ctime cannot be reset, so contents are not read.
 */
record Snapshot(Set<String> lines) {
    /**
     * The database is compared by its rows: its files change when SQLite checkpoints its WAL. Log
     * output of the server is not an effect of a request.
     */
    private static final Set<String> EXCLUDED =
            Set.of("ash.db", "ash.db-wal", "ash.db-shm", "server-output.log");

    static Snapshot of(AshServer server) {
        var lines = new TreeSet<String>();
        try (var connection =
                DriverManager.getConnection("jdbc:sqlite:" + server.data().resolve("ash.db"))) {
            addRows(connection, lines);
            addFiles(server.directory().path(), lines);
        } catch (SQLException | IOException e) {
            throw new AssertionError(e);
        }
        return new Snapshot(lines);
    }

    /** Waits until background writes after the last request are finished. */
    static Snapshot settled(AshServer server) {
        var last = new Snapshot[] {of(server)};
        await().atMost(Duration.ofMinutes(1))
                .pollDelay(Duration.ofMillis(300))
                .pollInterval(Duration.ofMillis(300))
                .until(
                        () -> {
                            var before = last[0];
                            last[0] = of(server);
                            return last[0].equals(before);
                        });
        return last[0];
    }

    private static void addRows(Connection connection, Set<String> lines) throws SQLException {
        try (var tables =
                        connection.prepareStatement(
                                "SELECT name FROM sqlite_master WHERE type = 'table'");
                var names = tables.executeQuery()) {
            while (names.next()) {
                addRows(connection, names.getString(1), lines);
            }
        }
    }

    private static void addRows(Connection connection, String table, Set<String> lines)
            throws SQLException {
        try (var query = connection.prepareStatement("SELECT * FROM \"" + table + "\"");
                var rows = query.executeQuery()) {
            var columns = rows.getMetaData();
            while (rows.next()) {
                var line = new StringBuilder("row of ").append(table).append(':');
                for (int i = 1; i <= columns.getColumnCount(); i++) {
                    if (table.equals("api_keys")
                            && columns.getColumnName(i).equals("last_used_at")) {
                        continue; // updated up to a minute after each use
                    }
                    line.append(' ').append(columns.getColumnName(i)).append('=');
                    line.append(
                            rows.getObject(i) instanceof byte[] bytes
                                    ? Arrays.hashCode(bytes)
                                    : rows.getString(i));
                }
                lines.add(line.toString());
            }
        }
    }

    private static void addFiles(Path root, Set<String> lines) throws IOException {
        Files.walkFileTree(
                root,
                new SimpleFileVisitor<>() {
                    @Override
                    public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes a)
                            throws IOException {
                        // The kernel writes to images at any time; their contents are mounted in
                        // sandboxes/.
                        if (directory.equals(root.resolve("data/disks"))) {
                            return FileVisitResult.SKIP_SUBTREE;
                        }
                        add(directory);
                        return FileVisitResult.CONTINUE;
                    }

                    @Override
                    public FileVisitResult visitFile(Path file, BasicFileAttributes a)
                            throws IOException {
                        if (!EXCLUDED.contains(file.getFileName().toString())) {
                            add(file);
                        }
                        return FileVisitResult.CONTINUE;
                    }

                    private void add(Path path) throws IOException {
                        var attributes =
                                Files.readAttributes(
                                        path,
                                        "unix:mode,uid,gid,ino,size,lastModifiedTime,ctime",
                                        LinkOption.NOFOLLOW_LINKS);
                        // Entries of a directory have their own lines, which show additions and
                        // removals.
                        if (Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
                            attributes = new HashMap<>(attributes);
                            attributes.keySet().retainAll(Set.of("mode", "uid", "gid", "ino"));
                        }
                        // Servers of other tests hard-link these files, which changes the ctime.
                        if (path.startsWith(root.resolve("data/runtime"))) {
                            attributes = new HashMap<>(attributes);
                            attributes.remove("ctime");
                        }
                        lines.add(
                                "file " + root.relativize(path) + " " + new TreeMap<>(attributes));
                    }
                });
    }

    /** Asserts that no row or file was added, changed or removed. */
    void assertUnchanged(Snapshot after) {
        assertExistingUnchanged(after);
        assertThat(after.lines)
                .as("new rows and files")
                .filteredOn(line -> !lines.contains(line))
                .isEmpty();
    }

    /** Asserts that no existing row or file was changed or removed; new ones are permitted. */
    void assertExistingUnchanged(Snapshot after) {
        assertThat(lines)
                .as("changed or removed rows and files")
                .filteredOn(line -> !after.lines.contains(line))
                .isEmpty();
    }
}
