package dev.ash.server.project;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;

/**
 * Repositories that pairs may use in addition to the configured roots. The file lists one path per
 * line, is writable by the server's user alone, and may change while the server runs.
 */
record PairRepositories(Path file) {
    private static final System.Logger LOG = System.getLogger("ash.project");

    static PairRepositories in(Path dataDir) {
        return new PairRepositories(dataDir.resolve("pair-repositories"));
    }

    List<Path> read() {
        try (var lines = Files.lines(file)) {
            return lines.map(String::strip)
                    .filter(line -> line.startsWith("/"))
                    .map(Path::of)
                    .toList();
        } catch (NoSuchFileException e) {
            return List.of();
        } catch (IOException | RuntimeException e) {
            LOG.log(System.Logger.Level.WARNING, "cannot read {0}: {1}", file, e);
            return List.of();
        }
    }
}
