package dev.ash.server.pair;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.SessionId;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

/**
 * The git bundles of one run. The directory is the server's alone: git reads and writes them
 * through descriptors that the server opened, so nobody can put a link in their place.
 */
record Bundles(Path directory) {
    private static final Logger LOG = System.getLogger(Bundles.class.getName());

    static Bundles open(Path directory) {
        try {
            Files.createDirectories(
                    directory,
                    PosixFilePermissions.asFileAttribute(
                            PosixFilePermissions.fromString("rwx------")));
            return new Bundles(directory);
        } catch (IOException e) {
            throw new ApiException(
                    ErrorCode.INTERNAL,
                    "The directory %s for git bundles cannot be made: %s".formatted(directory, e),
                    e);
        }
    }

    /** All that the commit needs which the run starts from. */
    Path base() {
        return directory.resolve("base.bundle");
    }

    /** The commits of the run so far. */
    Path out() {
        return directory.resolve("out.bundle");
    }

    /** Whether the server made the reviewer's clone. What is in a workspace proves nothing. */
    boolean hasClone(SessionId reviewer) {
        return Files.exists(marker(reviewer));
    }

    void cloned(SessionId reviewer) throws IOException {
        Files.write(marker(reviewer), new byte[0]);
    }

    private Path marker(SessionId reviewer) {
        return directory.resolve(reviewer.value() + ".cloned");
    }

    static void delete(Path directory) {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
            for (var file : files) {
                Files.delete(file);
            }
            Files.delete(directory);
        } catch (NoSuchFileException e) {
            // There were none.
        } catch (IOException e) {
            LOG.log(Level.WARNING, "Git bundles in {0} remain: {1}", directory, e);
        }
    }
}
