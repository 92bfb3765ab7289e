package dev.ash.server.session.recovery;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;

/**
 * Recovers the same disk in two ways, on machines where no bridge lives: once, and killed and begun
 * again until it comes through. Both must come to the same.
 */
final class CrashRepeat {
    private final CrashServer.Template template;
    private final Path folder;
    private final Random random;

    CrashRepeat(CrashServer.Template template, Path folder, Random random) {
        this.template = template;
        this.folder = folder;
        this.random = random;
    }

    List<String> differences(Path disk) {
        var once = recovered(copy(disk, "once"), CrashLife.Doom.NEVER);
        var again = copy(disk, "again0");
        for (int i = 1; i <= 3; i++) {
            recovered(again, new CrashLife.Doom(null, 1 + random.nextInt(8)));
            again = copy(again, "again" + i);
        }
        var repeated = recovered(again, CrashLife.Doom.NEVER);
        return once.equals(repeated)
                ? List.of()
                : List.of("recovery made\n" + once + "\nand, killed and repeated,\n" + repeated);
    }

    private String recovered(Path file, CrashLife.Doom doom) {
        var life = new CrashLife(doom, 1);
        var server = new CrashServer(template, file, new ModelHost(folder), life);
        try {
            server.recover();
            return new CrashTable(server.database).state();
        } finally {
            life.die();
            server.bury();
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
