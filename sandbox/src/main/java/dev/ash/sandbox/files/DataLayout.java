package dev.ash.sandbox.files;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.Limits;
import dev.ash.protocol.SandboxId;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The paths below the data directory. */
public record DataLayout(Path root) {
    /** Name of the proxy's socket in the {@linkplain #egress egress directory} of a sandbox. */
    public static final String EGRESS_SOCKET = "proxy.sock";

    /**
     * Creates the directories that all sandboxes share. Every user can enter, but not list, those
     * that lead to a sandbox's own directories.
     */
    public static DataLayout create(Path dataDir) throws IOException {
        if (Files.notExists(dataDir)) {
            FileModes.createDirectory(dataDir, FileModes.TRAVERSABLE);
        }
        var layout = new DataLayout(dataDir.toRealPath());
        FileModes.createDirectory(layout.sandboxes(), FileModes.TRAVERSABLE);
        FileModes.createDirectory(layout.root.resolve("run"), FileModes.TRAVERSABLE);
        FileModes.createDirectory(layout.root.resolve("logs"), FileModes.OWNER_ONLY);
        FileModes.createDirectory(layout.root.resolve("egress"), FileModes.TRAVERSABLE);
        FileModes.createDirectory(layout.etc(), FileModes.READABLE);
        FileModes.createDirectory(layout.openEtc(), FileModes.READABLE);
        FileModes.createDirectory(layout.runtime(), FileModes.READABLE);
        FileModes.createDirectory(layout.engines(), FileModes.READABLE);
        return layout;
    }

    public Path sandboxes() {
        return root.resolve("sandboxes");
    }

    public Path sandbox(SandboxId id) {
        return sandboxes().resolve(id.value());
    }

    public Path workspace(SandboxId id) {
        return sandbox(id).resolve("workspace");
    }

    public Path home(SandboxId id) {
        return sandbox(id).resolve("home");
    }

    /** Temporary files of a sandbox with its own file system; its run directory links here. */
    Path tmp(SandboxId id) {
        return sandbox(id).resolve("tmp");
    }

    /** The images of the file systems of sandboxes. */
    public Path disks() {
        return root.resolve("disks");
    }

    public Path run(SandboxId id) {
        return root.resolve("run").resolve(id.shortId());
    }

    public static String socketName(SandboxId id) {
        return "ash-" + id.shortId() + ".sock";
    }

    public Path socket(SandboxId id) {
        return run(id).resolve(socketName(id));
    }

    /**
     * Directory of the socket on which the server's egress proxy listens for a sandbox. Named by
     * the short id, because the length of socket paths is limited.
     */
    public Path egress(SandboxId id) {
        return root.resolve("egress").resolve(id.shortId());
    }

    public Path logs(SandboxId id) {
        return root.resolve("logs").resolve(id.value());
    }

    /** Control directories of confined commands. */
    public Path commands() {
        return root.resolve("commands");
    }

    public Path etc() {
        return root.resolve("etc");
    }

    /** The {@code /etc} of sandboxes that share the host's network. */
    public Path openEtc() {
        return root.resolve("etc-open");
    }

    /** Returns a name that is unique to this data directory on this machine. */
    public String name() {
        return "ash-" + new InputHash().add(root.toString()).hex();
    }

    /** The system call filter, as a BPF program for bubblewrap. */
    public Path seccomp() {
        return root.resolve("seccomp.bpf");
    }

    public Path runtime() {
        return root.resolve("runtime");
    }

    public Path engines() {
        return root.resolve("engines");
    }

    /** Returns every sandbox that has a directory, running or not. */
    public Set<SandboxId> existing() {
        var ids = new HashSet<SandboxId>();
        try (DirectoryStream<Path> directories = Files.newDirectoryStream(sandboxes())) {
            for (var directory : directories) {
                try {
                    ids.add(new SandboxId(directory.getFileName().toString()));
                } catch (ApiException e) {
                    // Not a sandbox: ignore it.
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return ids;
    }

    /** Returns the owner of a new file, which also verifies that the directory is writable. */
    public int serverUid() throws IOException {
        var file = Files.createTempFile(root, ".owner", "");
        try {
            return FileModes.owner(file);
        } finally {
            Files.delete(file);
        }
    }

    /** Throws if socket paths would be too long; they have the same length for all sandboxes. */
    public void requireShortSocketPaths() {
        int length = socket(SandboxId.random()).toString().getBytes(StandardCharsets.UTF_8).length;
        int max = Limits.MAX_SOCKET_PATH_BYTES;
        if (length > max) {
            int own = root.toString().getBytes(StandardCharsets.UTF_8).length;
            throw new ApiException(
                    ErrorCode.VALIDATION_FAILED,
                    ("The path of the data directory %s is too long: the path of a socket below it"
                                    + " can have %d bytes and would have %d. Set ASH_DATA_DIR to a"
                                    + " directory whose path has at most %d bytes.")
                            .formatted(root, max, length, own - (length - max)));
        }
    }

    /** Throws if the dedicated users of sandboxes cannot enter each parent directory. */
    public void requireTraversableParents() throws IOException {
        for (@Nullable Path path = root; path != null; path = path.getParent()) {
            int mode = FileModes.mode(path);
            if ((mode & 1) == 0) {
                throw new ApiException(
                        ErrorCode.VALIDATION_FAILED,
                        ("%s has mode %04o, so sandboxes, which run as separate users, cannot"
                                        + " access the data directory %s. Set ASH_DATA_DIR to a"
                                        + " directory that all users can enter, such as /var/lib/ash,"
                                        + " or run: chmod o+x %s")
                                .formatted(path, mode & 07777, root, path));
            }
        }
    }
}
