package dev.ash.server.store;

import java.io.IOException;
import java.net.JarURLConnection;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.sqlite.SQLiteDataSource;
import org.sqlite.util.LibraryLoaderUtil;

/**
 * Keeps SQLite's native library in the data directory. The driver would extract it to a temporary
 * file at every start and compare both byte by byte; it still does so if this copy is unusable.
 */
public final class SqliteLibrary {
    private static final System.Logger LOG = System.getLogger("ash.store");
    private static final String PATH = "org.sqlite.lib.path";
    private static final String NAME = "org.sqlite.lib.name";

    /** Call before the first connection. A value from the command line takes precedence. */
    public static void keepIn(Path directory) {
        if (System.getProperty(PATH) != null) {
            return;
        }
        try {
            var copy = copyTo(directory);
            System.setProperty(PATH, directory.toString());
            System.setProperty(NAME, copy.getFileName().toString());
        } catch (IOException e) {
            LOG.log(System.Logger.Level.DEBUG, "SQLite is extracted to a temporary file", e);
        }
    }

    private static Path copyTo(Path directory) throws IOException {
        var name = LibraryLoaderUtil.getNativeLibName();
        var resource =
                SQLiteDataSource.class.getResource(
                        LibraryLoaderUtil.getNativeLibResourcePath() + "/" + name);
        if (resource == null || !(resource.openConnection() instanceof JarURLConnection jar)) {
            throw new IOException("no library for this system");
        }
        // The jar's index has the checksum, so that the library itself is not read.
        var checksum = Long.toHexString(jar.getJarEntry().getCrc());
        var copy = directory.resolve(checksum + "-" + name);
        if (Files.notExists(copy)) {
            Files.createDirectories(
                    directory,
                    PosixFilePermissions.asFileAttribute(
                            PosixFilePermissions.fromString("rwx------")));
            replace(directory, copy, jar);
        }
        return copy;
    }

    /** Also removes the libraries of other versions. */
    private static void replace(Path directory, Path copy, JarURLConnection jar)
            throws IOException {
        try (var library = jar.getInputStream()) {
            PrivateFile.write(copy, library.readAllBytes());
        }
        try (var files = Files.list(directory)) {
            for (var file : files.filter(file -> !file.equals(copy)).toList()) {
                Files.deleteIfExists(file);
            }
        }
    }

    private SqliteLibrary() {}
}
