package dev.ash.server.store;

import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Clock;

/**
 * The data directory with its database and sealing keys, and the sources of time and randomness.
 */
public record Storage(
        Path directory, Database database, Sealer sealer, Clock clock, SecureRandom random)
        implements AutoCloseable {

    public static Storage open(Path directory, Clock clock, SecureRandom random)
            throws IOException {
        var database = Database.open(directory.resolve("ash.db"));
        try {
            var sealer = Sealer.open(directory.resolve("sealing-key"), random);
            return new Storage(directory, database, sealer, clock, random);
        } catch (IOException | RuntimeException e) {
            database.close();
            throw e;
        }
    }

    public Path resolve(String file) {
        return directory.resolve(file);
    }

    @Override
    public void close() {
        database.close();
    }
}
