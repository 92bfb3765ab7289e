package dev.ash.server;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.Optional;

/** The data directory of a server, locked so that only one server uses it at a time. */
final class DataDir implements AutoCloseable {
    private final Path path;
    private final FileChannel channel;
    private final FileLock lock;

    private DataDir(Path path, FileChannel channel, FileLock lock) {
        this.path = path;
        this.channel = channel;
        this.lock = lock;
    }

    static Path choose(Map<String, String> environment) {
        var chosen = Optional.ofNullable(environment.get("ASH_DATA_DIR")).filter(v -> !v.isBlank());
        if (chosen.isPresent()) {
            return Path.of(chosen.get()).toAbsolutePath().normalize();
        }
        if ("root".equals(System.getProperty("user.name"))) {
            return Path.of("/var/lib/ash");
        }
        var home = Path.of(environment.getOrDefault("HOME", System.getProperty("user.home")));
        return Optional.ofNullable(environment.get("XDG_DATA_HOME"))
                .filter(v -> !v.isBlank())
                .map(Path::of)
                .orElse(home.resolve(".local/share"))
                .resolve("ash")
                .toAbsolutePath();
    }

    /** Creates the directory if needed. Its mode lets sandboxes traverse but not list it. */
    static DataDir open(Path path) {
        try {
            if (!Files.isDirectory(path)) {
                Files.createDirectories(path);
                Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwx--x--x"));
            }
            var channel =
                    FileChannel.open(
                            path.resolve("lock"),
                            StandardOpenOption.CREATE,
                            StandardOpenOption.WRITE);
            var lock = channel.tryLock();
            if (lock == null) {
                channel.close();
                throw inUse(path);
            }
            return new DataDir(path, channel, lock);
        } catch (OverlappingFileLockException e) {
            throw inUse(path);
        } catch (IOException e) {
            throw new ApiException(
                    ErrorCode.VALIDATION_FAILED,
                    "Cannot use the data directory %s (%s); make it writable for this user, or set"
                                    .formatted(path, reason(e))
                            + " ASH_DATA_DIR to another directory",
                    e);
        }
    }

    private static ApiException inUse(Path path) {
        return new ApiException(
                ErrorCode.VALIDATION_FAILED,
                "Another Ash server is running on the data directory %s; stop it (ash stop), or set"
                                .formatted(path)
                        + " ASH_DATA_DIR to another directory");
    }

    static String reason(IOException e) {
        return switch (e) {
            case java.nio.file.AccessDeniedException _ -> "permission denied";
            case java.nio.file.NoSuchFileException _ -> "no such directory";
            case java.nio.file.FileAlreadyExistsException _ -> "a file exists at this path";
            case java.nio.file.FileSystemException fs when fs.getReason() != null ->
                    fs.getReason().toLowerCase(java.util.Locale.ROOT);
            default -> String.valueOf(e.getMessage());
        };
    }

    Path resolve(String name) {
        return path.resolve(name);
    }

    Path path() {
        return path;
    }

    @Override
    public void close() throws IOException {
        lock.release();
        channel.close();
    }
}
