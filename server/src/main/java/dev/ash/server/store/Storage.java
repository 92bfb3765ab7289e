package dev.ash.server.store;

import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Clock;

/** The data directory with its database and its sealing key, and the sources of time and chance. */
public record Storage(
        Path folder, Database database, Sealer sealer, Clock clock, SecureRandom random)
        implements AutoCloseable {

    public static Storage open(Path folder, Clock clock, SecureRandom random) throws IOException {
        var database = Database.open(folder.resolve("ash.db"));
        try {
            var sealer = Sealer.open(folder.resolve("sealing-key"), random);
            return new Storage(folder, database, sealer, clock, random);
        } catch (IOException | RuntimeException e) {
            database.close();
            throw e;
        }
    }

    public Path resolve(String file) {
        return folder.resolve(file);
    }

    @Override
    public void close() {
        database.close();
    }
}
