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
 * Every row of a server's database and every file of its test folder. A file is described by its
 * kind, owner, mode, size and times; the time of change cannot be set back, so no content is read.
 */
record Snapshot(Set<String> lines) {
    /**
     * The database is compared by its rows: its files change when SQLite writes its journal back.
     * The output of the server is for people: a line there is no effect of a request.
     */
    private static final Set<String> LEFT_OUT =
            Set.of("ash.db", "ash.db-wal", "ash.db-shm", "server-output.log");

    static Snapshot of(AshServer server) {
        var lines = new TreeSet<String>();
        try (var connection =
                DriverManager.getConnection("jdbc:sqlite:" + server.data().resolve("ash.db"))) {
            addRows(connection, lines);
            addFiles(server.folder().path(), lines);
        } catch (SQLException | IOException e) {
            throw new AssertionError(e);
        }
        return new Snapshot(lines);
    }

    /** Once nothing changes by itself any more: what was just made may still be noted somewhere. */
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
                        continue; // written a minute after each use
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
                    public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes a)
                            throws IOException {
                        // The kernel writes to images at any time; their files are in sandboxes/.
                        if (folder.equals(root.resolve("data/disks"))) {
                            return FileVisitResult.SKIP_SUBTREE;
                        }
                        add(folder);
                        return FileVisitResult.CONTINUE;
                    }

                    @Override
                    public FileVisitResult visitFile(Path file, BasicFileAttributes a)
                            throws IOException {
                        if (!LEFT_OUT.contains(file.getFileName().toString())) {
                            add(file);
                        }
                        return FileVisitResult.CONTINUE;
                    }

                    private void add(Path path) throws IOException {
                        var facts =
                                Files.readAttributes(
                                        path,
                                        "unix:mode,uid,gid,ino,size,lastModifiedTime,ctime",
                                        LinkOption.NOFOLLOW_LINKS);
                        // Entries of a folder are lines of their own: what comes or goes shows.
                        if (Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
                            facts = new HashMap<>(facts);
                            facts.keySet().retainAll(Set.of("mode", "uid", "gid", "ino"));
                        }
                        // Servers of other tests have links to these files, which change the time.
                        if (path.startsWith(root.resolve("data/runtime"))) {
                            facts = new HashMap<>(facts);
                            facts.remove("ctime");
                        }
                        lines.add("file " + root.relativize(path) + " " + new TreeMap<>(facts));
                    }
                });
    }

    /** Whether everything is as it was. */
    void assertUnchanged(Snapshot after) {
        assertKept(after);
        assertThat(after.lines)
                .as("rows and files that are new")
                .filteredOn(line -> !lines.contains(line))
                .isEmpty();
    }

    /**
     * Whether everything that was there is as it was; the caller may have made things of its own.
     */
    void assertKept(Snapshot after) {
        assertThat(lines)
                .as("rows and files that changed or are gone")
                .filteredOn(line -> !after.lines.contains(line))
                .isEmpty();
    }
}
