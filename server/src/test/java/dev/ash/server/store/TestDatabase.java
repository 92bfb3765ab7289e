package dev.ash.server.store;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;

/** The databases that the contracts of stores run on. A second one is a second constant. */
public enum TestDatabase {
    SQLITE {
        @Override
        Database open(Path folder, UnaryOperator<DataSource> observer) throws IOException {
            var file = folder.resolve("ash.db");
            Files.copy(Template.FILE, file);
            return Database.open(file, observer, observer);
        }
    };

    /** Opens an empty database; each of its connections goes through {@code observer}. */
    abstract Database open(Path folder, UnaryOperator<DataSource> observer) throws IOException;

    /** A migrated database: migrating one for each test takes much longer than a copy. */
    private static final class Template {
        private static final Path FILE = create();

        private static Path create() {
            try {
                var file = Files.createTempDirectory("ash-template").resolve("ash.db");
                Database.open(file).close();
                file.toFile().deleteOnExit();
                file.getParent().toFile().deleteOnExit();
                return file;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
