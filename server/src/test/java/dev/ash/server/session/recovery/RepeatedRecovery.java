package dev.ash.server.session.recovery;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;

/**
 * Recovers copies of the same database without running bridges: once without a kill, and once
 * killed repeatedly. Both must result in the same state.
 */
final class RepeatedRecovery {
    private final CrashServer.Template template;
    private final Path directory;
    private final Random random;

    RepeatedRecovery(CrashServer.Template template, Path directory, Random random) {
        this.template = template;
        this.directory = directory;
        this.random = random;
    }

    List<String> differences(Path database) {
        var once = stateAfterRecovery(copy(database, "once"), ServerLifetime.KillTrigger.NEVER);
        var again = copy(database, "again0");
        for (int i = 1; i <= 3; i++) {
            stateAfterRecovery(again, new ServerLifetime.KillTrigger(null, 1 + random.nextInt(8)));
            again = copy(again, "again" + i);
        }
        var repeated = stateAfterRecovery(again, ServerLifetime.KillTrigger.NEVER);
        return once.equals(repeated)
                ? List.of()
                : List.of(
                        "recovery resulted in\n"
                                + once
                                + "\nand, killed and repeated, in\n"
                                + repeated);
    }

    private String stateAfterRecovery(Path file, ServerLifetime.KillTrigger trigger) {
        var lifetime = new ServerLifetime(trigger, 1);
        var server = new CrashServer(template, file, new FakeHost(directory), lifetime);
        try {
            server.recover();
            return new StoredState(server.database).state();
        } finally {
            lifetime.kill();
            server.release();
        }
    }

    private static Path copy(Path from, String suffix) {
        try {
            var to = Path.of(from + suffix);
            Files.copy(from, to);
            var log = Path.of(from + "-wal");
            if (Files.exists(log)) {
                Files.copy(log, Path.of(to + "-wal"));
            }
            return to;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
