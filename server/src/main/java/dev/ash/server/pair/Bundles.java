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
 * The git bundles of a run, in a private directory of the server. Git reads and writes them through
 * descriptors that the server opened, so that they cannot be replaced by links.
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
                    "Cannot create the directory %s for git bundles: %s".formatted(directory, e),
                    e);
        }
    }

    /** The history of the commit that the run starts from. */
    Path base() {
        return directory.resolve("base.bundle");
    }

    /** The commits of the run. */
    Path out() {
        return directory.resolve("out.bundle");
    }

    /**
     * Returns whether the server created the reviewer's clone; files in a workspace are no proof.
     */
    boolean hasClone(SessionId reviewer) {
        return Files.exists(marker(reviewer));
    }

    void markCloned(SessionId reviewer) throws IOException {
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
            // Nothing to delete.
        } catch (IOException e) {
            LOG.log(Level.WARNING, "Cannot delete the git bundles in {0}: {1}", directory, e);
        }
    }
}
