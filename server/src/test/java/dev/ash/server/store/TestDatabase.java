package dev.ash.server.store;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;

/** The databases that store tests run on. */
public enum TestDatabase {
    SQLITE {
        @Override
        Database open(Path directory, UnaryOperator<DataSource> observer) throws IOException {
            var file = directory.resolve("ash.db");
            Files.copy(Template.FILE, file);
            return Database.open(file, observer, observer);
        }
    };

    /** Opens an empty database whose connections are wrapped by {@code observer}. */
    abstract Database open(Path directory, UnaryOperator<DataSource> observer) throws IOException;

    /** A migrated database; copying it is much faster than migrating one for each test. */
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
