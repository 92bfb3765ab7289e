package dev.ash.server.project;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;

/**
 * Repositories that the server's user opened to pairs, also while the server runs: a file in the
 * data directory, where nobody else writes, with a path a line.
 */
record OpenRepositories(Path file) {
    private static final System.Logger LOG = System.getLogger("ash.project");

    static OpenRepositories in(Path dataDir) {
        return new OpenRepositories(dataDir.resolve("pair-repositories"));
    }

    List<Path> open() {
        try (var lines = Files.lines(file)) {
            return lines.map(String::strip)
                    .filter(line -> line.startsWith("/"))
                    .map(Path::of)
                    .toList();
        } catch (NoSuchFileException e) {
            return List.of();
        } catch (IOException | RuntimeException e) {
            LOG.log(System.Logger.Level.WARNING, "{0} cannot be read: {1}", file, e);
            return List.of();
        }
    }
}
