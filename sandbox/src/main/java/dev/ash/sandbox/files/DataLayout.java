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

/** Where things lie below the data directory. */
public record DataLayout(Path root) {
    /** In the {@linkplain #egress egress folder} of a sandbox. */
    public static final String EGRESS_SOCKET = "proxy.sock";

    /**
     * Makes the folders that are shared by all sandboxes. Those on the way to a sandbox's own may
     * be entered by everybody and listed by nobody.
     */
    public static DataLayout create(Path dataDir) throws IOException {
        if (Files.notExists(dataDir)) {
            Modes.folder(dataDir, Modes.PASSAGE);
        }
        var layout = new DataLayout(dataDir.toRealPath());
        Modes.folder(layout.sandboxes(), Modes.PASSAGE);
        Modes.folder(layout.root.resolve("run"), Modes.PASSAGE);
        Modes.folder(layout.root.resolve("logs"), Modes.OWNER_ONLY);
        Modes.folder(layout.root.resolve("egress"), Modes.PASSAGE);
        Modes.folder(layout.etc(), Modes.SHOWN);
        Modes.folder(layout.openEtc(), Modes.SHOWN);
        Modes.folder(layout.runtime(), Modes.SHOWN);
        Modes.folder(layout.engines(), Modes.SHOWN);
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

    /**
     * Temporary files, where the sandbox has a file system of its own; its run folder leads here.
     */
    Path tmp(SandboxId id) {
        return sandbox(id).resolve("tmp");
    }

    /** The images of such file systems. */
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
     * Where the server listens for what a sandbox wants of the network. By the short id, for the
     * path of a socket must be short.
     */
    public Path egress(SandboxId id) {
        return root.resolve("egress").resolve(id.shortId());
    }

    public Path logs(SandboxId id) {
        return root.resolve("logs").resolve(id.value());
    }

    /** Control folders of commands that run without a sandbox. */
    public Path commands() {
        return root.resolve("commands");
    }

    public Path etc() {
        return root.resolve("etc");
    }

    /** The same for sandboxes that share the host's network. */
    public Path openEtc() {
        return root.resolve("etc-open");
    }

    /** A name that no other data directory of this machine has. */
    public String name() {
        return "ash-" + new Fingerprint().text(root.toString()).hex();
    }

    /** The filter of system calls, as bubblewrap reads it. */
    public Path seccomp() {
        return root.resolve("seccomp.bpf");
    }

    public Path runtime() {
        return root.resolve("runtime");
    }

    public Path engines() {
        return root.resolve("engines");
    }

    /** Every sandbox that has a folder, running or not. */
    public Set<SandboxId> existing() {
        var ids = new HashSet<SandboxId>();
        try (DirectoryStream<Path> folders = Files.newDirectoryStream(sandboxes())) {
            for (var folder : folders) {
                try {
                    ids.add(new SandboxId(folder.getFileName().toString()));
                } catch (ApiException e) {
                    // Not ours: left alone.
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return ids;
    }

    /** The user that the server's files get; making one also shows that it can write here. */
    public int serverUid() throws IOException {
        var file = Files.createTempFile(root, ".owner", "");
        try {
            return Modes.owner(file);
        } finally {
            Files.delete(file);
        }
    }

    /** Every socket path has the same length, so one answer holds for all sandboxes. */
    public void requireRoomForSockets() {
        int length = socket(SandboxId.random()).toString().getBytes(StandardCharsets.UTF_8).length;
        int room = Limits.MAX_SOCKET_PATH_BYTES;
        if (length > room) {
            int own = root.toString().getBytes(StandardCharsets.UTF_8).length;
            throw new ApiException(
                    ErrorCode.VALIDATION_FAILED,
                    ("The data directory %s is too deep: the path of a socket below it may have"
                                    + " %d bytes and would have %d. Set ASH_DATA_DIR to a folder"
                                    + " whose path has at most %d bytes.")
                            .formatted(root, room, length, own - (length - room)));
        }
    }

    /** Sandboxes with users of their own must be able to enter each folder on the way here. */
    public void requireParentsOpen() throws IOException {
        for (@Nullable Path path = root; path != null; path = path.getParent()) {
            int mode = Modes.mode(path);
            if ((mode & 1) == 0) {
                throw new ApiException(
                        ErrorCode.VALIDATION_FAILED,
                        ("%s has mode %04o, so sandboxes, which run as users of their own, cannot"
                                        + " reach the data directory %s. Set ASH_DATA_DIR to a"
                                        + " folder that everybody may pass through, such as"
                                        + " /var/lib/ash, or run: chmod o+x %s")
                                .formatted(path, mode & 07777, root, path));
            }
        }
    }
}
