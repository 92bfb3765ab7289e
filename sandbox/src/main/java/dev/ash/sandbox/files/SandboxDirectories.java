package dev.ash.sandbox.files;

import dev.ash.protocol.SandboxId;
import dev.ash.sandbox.disk.ImageDisks;
import dev.ash.sandbox.launch.HostUser;
import dev.ash.sandbox.launch.Spawner;
import dev.ash.sandbox.limits.DiskSpace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Manages the directories of each sandbox. If the server is root, each sandbox has a dedicated uid
 * for its lifetime; the owner of its workspace identifies it.
 */
public final class SandboxDirectories {
    private final DataLayout layout;
    private final Optional<UidRegistry> uids;
    private final DirectoryTrees trees;
    private final ImageDisks disks;

    public SandboxDirectories(
            DataLayout layout, Optional<UidRegistry> uids, ImageDisks disks, Spawner spawner) {
        this.layout = layout;
        this.uids = uids;
        this.disks = disks;
        this.trees = new DirectoryTrees(spawner);
    }

    /**
     * Mounts the file system of a sandbox until {@link #release}, creating it for a new sandbox if
     * the server uses images. An existing sandbox keeps the kind of storage it has. The first step
     * of a launch.
     */
    public void retain(SandboxId id, int diskMb) throws IOException {
        var mountPoint = layout.sandbox(id);
        if (disks.isUsedForNew()
                && !disks.hasImage(mountPoint)
                && Files.notExists(layout.workspace(id), LinkOption.NOFOLLOW_LINKS)
                && Files.notExists(layout.home(id), LinkOption.NOFOLLOW_LINKS)) {
            disks.create(mountPoint, diskMb);
        }
        disks.retainWritable(mountPoint);
    }

    /** Mounts the file system of a sandbox that an earlier server launched. */
    public void retain(SandboxId id) throws IOException {
        disks.retain(layout.sandbox(id));
    }

    /** Allows unmounting once no process of the sandbox is left. */
    public void release(SandboxId id) {
        disks.release(layout.sandbox(id));
    }

    /**
     * Returns the mount point of the sandbox's own file system, if it has one and it is mounted.
     */
    public Optional<Path> image(SandboxId id) {
        var mountPoint = layout.sandbox(id);
        return disks.isMounted(mountPoint) ? Optional.of(mountPoint) : Optional.empty();
    }

    /** Whether the sandbox has its own file system and it is full. */
    public boolean isFull(SandboxId id) {
        var image = image(id);
        try {
            return image.isPresent() && DiskSpace.of(image.get()).isFull();
        } catch (IOException e) {
            return false; // unmounted concurrently
        }
    }

    /** Returns the workspace, mounted for some time. */
    public Path workspace(SandboxId id) throws IOException {
        disks.mountTemporarily(layout.sandbox(id));
        return layout.workspace(id);
    }

    /**
     * Creates the sandbox's directory, which only the server writes to, and claims its dedicated
     * uid.
     */
    public OptionalInt claim(SandboxId id) throws IOException {
        var directory = FileModes.createDirectory(layout.sandbox(id), FileModes.TRAVERSABLE);
        if (uids.isEmpty()) {
            return OptionalInt.empty();
        }
        var claimed = claimedUid(id);
        if (claimed.isPresent()) {
            return claimed;
        }
        var owner = owner(id);
        var uid = OptionalInt.of(uids.get().claim(directory));
        if (owner.isPresent()) { // moved, or restored from a backup
            var user = HostUser.dedicated(uid);
            trees.changeOwner(layout.workspace(id), user);
            if (Files.exists(layout.home(id))) {
                trees.changeOwner(layout.home(id), user);
            }
        }
        return uid;
    }

    /** Creates the directories of a sandbox; keeps an existing workspace. */
    public void prepare(SandboxId id, OptionalInt uid, Path agentDir) throws IOException {
        if (Files.notExists(layout.workspace(id))) {
            var draft = layout.sandbox(id).resolve("workspace.draft");
            trees.delete(draft);
            try {
                AgentCopy.copy(agentDir, draft, uid);
                Files.move(draft, layout.workspace(id), StandardCopyOption.ATOMIC_MOVE);
            } finally {
                trees.delete(draft);
            }
        }
        prepareCommon(id, HostUser.dedicated(uid));
    }

    /**
     * Creates the directories of a sandbox that works in a project and has no workspace. It runs as
     * the owner of the project, which has no claimed uid.
     */
    public void prepareForProject(SandboxId id, Optional<HostUser> user) throws IOException {
        FileModes.createDirectory(layout.sandbox(id), FileModes.TRAVERSABLE);
        var home = layout.home(id);
        if (user.isPresent() && Files.exists(home) && FileModes.owner(home) != user.get().uid()) {
            trees.changeOwner(home, user); // the project has a new owner
        }
        prepareCommon(id, user);
    }

    private void prepareCommon(SandboxId id, Optional<HostUser> user) throws IOException {
        FileModes.changeOwner(
                FileModes.createDirectory(layout.home(id), FileModes.OWNER_ONLY), user);
        trees.delete(layout.run(id)); // socket and temporary files of the last run
        if (image(id).isPresent()) {
            trees.delete(layout.tmp(id));
            FileModes.changeOwner(
                    FileModes.createDirectory(layout.tmp(id), FileModes.OWNER_ONLY), user);
            Files.createSymbolicLink(layout.run(id), layout.tmp(id));
        } else {
            FileModes.changeOwner(
                    FileModes.createDirectory(layout.run(id), FileModes.OWNER_ONLY), user);
        }
        FileModes.createDirectory(layout.egress(id), FileModes.READABLE);
    }

    /**
     * Copies a sandbox's workspace and home to a new sandbox with its own uid. A sandbox on a
     * project has no workspace to copy, and its copy has the same user. Restarts an unfinished
     * earlier attempt; a failure leaves nothing behind.
     */
    public void copy(SandboxId from, SandboxId to) throws IOException {
        disks.mountTemporarily(layout.sandbox(to));
        if (Files.exists(layout.workspace(to), LinkOption.NOFOLLOW_LINKS)) {
            throw new IllegalStateException("Sandbox %s already has files.".formatted(to));
        }
        disks.mountTemporarily(layout.sandbox(from));
        boolean homeOnly = hasHomeOnly(from);
        if (disks.isUsedForNew() && disks.hasImage(layout.sandbox(from))) {
            disks.delete(layout.sandbox(to)); // of an earlier attempt
            disks.createLike(layout.sandbox(from), layout.sandbox(to));
            disks.mountTemporarily(layout.sandbox(to));
        }
        FileModes.createDirectory(layout.sandbox(to), FileModes.TRAVERSABLE);
        var uid = homeOnly ? OptionalInt.empty() : claim(to);
        var user = HostUser.dedicated(uid);
        boolean done = false;
        try {
            // Workspace last: its presence marks a complete copy.
            if (Files.exists(layout.home(from), LinkOption.NOFOLLOW_LINKS)) {
                copy(layout.home(from), layout.home(to), user);
            }
            if (!homeOnly) {
                copy(layout.workspace(from), layout.workspace(to), user);
            }
            done = true;
        } finally {
            if (!done) {
                disks.delete(layout.sandbox(to));
                trees.delete(layout.sandbox(to));
                if (uids.isPresent() && uid.isPresent()) {
                    uids.get().release(layout.sandbox(to), uid.getAsInt());
                }
            }
        }
    }

    private boolean hasHomeOnly(SandboxId id) {
        return Files.notExists(layout.workspace(id), LinkOption.NOFOLLOW_LINKS)
                && Files.exists(layout.home(id), LinkOption.NOFOLLOW_LINKS);
    }

    private void copy(Path from, Path to, Optional<HostUser> user) throws IOException {
        var draft = to.resolveSibling(to.getFileName() + ".draft");
        trees.delete(draft);
        trees.delete(to);
        trees.copy(from, draft);
        trees.changeOwner(draft, user);
        Files.move(draft, to, StandardCopyOption.ATOMIC_MOVE);
    }

    /** Returns the uid that owns a sandbox's files, if sandboxes have dedicated uids. */
    public OptionalInt owner(SandboxId id) throws IOException {
        var workspace = workspace(id);
        return uids.isPresent() && Files.exists(workspace, LinkOption.NOFOLLOW_LINKS)
                ? OptionalInt.of(FileModes.owner(workspace))
                : OptionalInt.empty();
    }

    /** Returns that uid only if this sandbox holds the claim on it, so no other process uses it. */
    public OptionalInt claimedUid(SandboxId id) throws IOException {
        var owner = owner(id);
        return owner.isPresent()
                        && uids.isPresent()
                        && uids.get().holds(layout.sandbox(id), owner.getAsInt())
                ? owner
                : OptionalInt.empty();
    }

    /** Returns the claimed uid of a sandbox to be removed; empty if its image is damaged. */
    public OptionalInt claimedUidIfKnown(SandboxId id) {
        try {
            return claimedUid(id);
        } catch (IOException e) {
            return OptionalInt.empty();
        }
    }

    /** Deletes the sockets and temporary files of the last run. */
    public void deleteRun(SandboxId id) throws IOException {
        trees.delete(layout.egress(id));
        trees.delete(layout.tmp(id));
        trees.delete(layout.run(id)); // last: its existence marks a run to clean up
    }

    /** Deletes all files, and then the claim on the uid, so that no file has an unclaimed owner. */
    public void discard(SandboxId id) throws IOException {
        var claimed = claimedUidIfKnown(id);
        disks.delete(layout.sandbox(id)); // first: files in a damaged image cannot be deleted
        deleteRun(id);
        trees.delete(layout.logs(id));
        trees.delete(layout.sandbox(id));
        if (uids.isPresent() && claimed.isPresent()) {
            uids.get().release(layout.sandbox(id), claimed.getAsInt());
        }
    }
}
