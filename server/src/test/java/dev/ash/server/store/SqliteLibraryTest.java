package dev.ash.server.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SqliteLibraryTest {
    private static final String PATH = "org.sqlite.lib.path";
    private static final String NAME = "org.sqlite.lib.name";

    @TempDir Path directory;

    @AfterEach
    void clear() {
        System.clearProperty(PATH);
        System.clearProperty(NAME);
    }

    @Test
    void copiesTheLibraryOnceAndRemovesOtherVersions() throws Exception {
        var libraries = directory.resolve("native");
        Files.createDirectory(libraries);
        Files.createFile(libraries.resolve("0-libsqlitejdbc.so"));

        SqliteLibrary.keepIn(libraries);
        var copy = libraries.resolve(System.getProperty(NAME));
        var written = Files.getLastModifiedTime(copy);
        clear();
        SqliteLibrary.keepIn(libraries);

        assertThat(System.getProperty(PATH)).isEqualTo(libraries.toString());
        assertThat(libraries.resolve(System.getProperty(NAME))).isEqualTo(copy);
        assertThat(Files.getLastModifiedTime(copy)).isEqualTo(written);
        assertThat(Files.getPosixFilePermissions(copy))
                .isEqualTo(PosixFilePermissions.fromString("rw-------"));
        assertThat(list(libraries)).containsExactly(copy);
    }

    @Test
    void leavesTheDriversDefaultIfTheDirectoryCannotBeWritten() throws Exception {
        var file = Files.createFile(directory.resolve("file"));

        SqliteLibrary.keepIn(file.resolve("native"));

        assertThat(System.getProperty(PATH)).isNull();
    }

    private static List<Path> list(Path directory) throws IOException {
        try (var files = Files.list(directory)) {
            return files.toList();
        }
    }
}
