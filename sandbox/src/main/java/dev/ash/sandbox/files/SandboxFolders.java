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
 * The folders of single sandboxes. Each has a user of the host for life, where the server may
 * choose one; the owner of its workspace tells which.
 */
public final class SandboxFolders {
    private final DataLayout layout;
    private final Optional<UidRegistry> uids;
    private final Trees trees;
    private final ImageDisks disks;

    public SandboxFolders(
            DataLayout layout, Optional<UidRegistry> uids, ImageDisks disks, Spawner spawner) {
        this.layout = layout;
        this.uids = uids;
        this.disks = disks;
        this.trees = new Trees(spawner);
    }

    /**
     * Before anything else of a launch: the file system of the sandbox, where it has one of its
     * own. One that has files already keeps what it has. Until {@link #release}.
     */
    public void hold(SandboxId id, int diskMb) throws IOException {
        var place = layout.sandbox(id);
        if (disks.usedForNew()
                && !disks.hasImage(place)
                && Files.notExists(layout.workspace(id), LinkOption.NOFOLLOW_LINKS)
                && Files.notExists(layout.home(id), LinkOption.NOFOLLOW_LINKS)) {
            disks.create(place, diskMb);
        }
        disks.holdWritable(place);
    }

    /** The same for a sandbox that an earlier server has launched. */
    public void hold(SandboxId id) throws IOException {
        disks.hold(layout.sandbox(id));
    }

    /** When nothing of it runs any more. */
    public void release(SandboxId id) {
        disks.release(layout.sandbox(id));
    }

    /** Where the file system of a sandbox is mounted, if it has one of its own. */
    public Optional<Path> image(SandboxId id) {
        var place = layout.sandbox(id);
        return disks.isMounted(place) ? Optional.of(place) : Optional.empty();
    }

    /** Whether it has a file system of its own, and that is full. */
    public boolean isFull(SandboxId id) {
        var image = image(id);
        try {
            return image.isPresent() && DiskSpace.of(image.get()).isFull();
        } catch (IOException e) {
            return false; // it has just been unmounted
        }
    }

    /** The workspace, to be looked at for a while. */
    public Path workspace(SandboxId id) throws IOException {
        disks.use(layout.sandbox(id));
        return layout.workspace(id);
    }

    /** Makes the user and the folder that only the server writes; the first step of a launch. */
    public OptionalInt claim(SandboxId id) throws IOException {
        var folder = Modes.folder(layout.sandbox(id), Modes.PASSAGE);
        if (uids.isEmpty()) {
            return OptionalInt.empty();
        }
        var held = heldUser(id);
        if (held.isPresent()) {
            return held;
        }
        var known = owner(id);
        var uid = OptionalInt.of(uids.get().claim(folder));
        if (known.isPresent()) { // a folder that was moved, or restored from a copy
            var user = HostUser.ofItsOwn(uid);
            trees.giveAll(layout.workspace(id), user);
            if (Files.exists(layout.home(id))) {
                trees.giveAll(layout.home(id), user);
            }
        }
        return uid;
    }

    /** Fills the folders; a workspace that exists is left as it is. */
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
        prepareOthers(id, HostUser.ofItsOwn(uid));
    }

    /**
     * The same for a sandbox that has no workspace, since it works in a folder of the host. It runs
     * as the owner of that, who is nobody's to claim.
     */
    public void prepareWithout(SandboxId id, Optional<HostUser> user) throws IOException {
        Modes.folder(layout.sandbox(id), Modes.PASSAGE);
        var home = layout.home(id);
        if (user.isPresent() && Files.exists(home) && Modes.owner(home) != user.get().uid()) {
            trees.giveAll(home, user); // the folder has got another owner
        }
        prepareOthers(id, user);
    }

    private void prepareOthers(SandboxId id, Optional<HostUser> user) throws IOException {
        Modes.give(Modes.folder(layout.home(id), Modes.OWNER_ONLY), user);
        trees.delete(layout.run(id)); // the last sandbox's socket and temporary files
        if (image(id).isPresent()) {
            trees.delete(layout.tmp(id));
            Modes.give(Modes.folder(layout.tmp(id), Modes.OWNER_ONLY), user);
            Files.createSymbolicLink(layout.run(id), layout.tmp(id));
        } else {
            Modes.give(Modes.folder(layout.run(id), Modes.OWNER_ONLY), user);
        }
        Modes.folder(layout.egress(id), Modes.SHOWN);
    }

    /**
     * Makes a sandbox that has copies of another's workspace and home, and a user of its own. One
     * that works in a folder of the host has no workspace to copy, and its copy the same user. What
     * an earlier try left unfinished is begun anew; a failure leaves nothing.
     */
    public void copy(SandboxId from, SandboxId to) throws IOException {
        disks.use(layout.sandbox(to));
        if (Files.exists(layout.workspace(to), LinkOption.NOFOLLOW_LINKS)) {
            throw new IllegalStateException("Sandbox %s has files of its own.".formatted(to));
        }
        disks.use(layout.sandbox(from));
        boolean onlyHome = hasOnlyHome(from);
        if (disks.usedForNew() && disks.hasImage(layout.sandbox(from))) {
            disks.delete(layout.sandbox(to)); // of an earlier try
            disks.createLike(layout.sandbox(from), layout.sandbox(to));
            disks.use(layout.sandbox(to));
        }
        Modes.folder(layout.sandbox(to), Modes.PASSAGE);
        var uid = onlyHome ? OptionalInt.empty() : claim(to);
        var user = HostUser.ofItsOwn(uid);
        boolean done = false;
        try {
            // The workspace last: where there is one, all is there.
            if (Files.exists(layout.home(from), LinkOption.NOFOLLOW_LINKS)) {
                copy(layout.home(from), layout.home(to), user);
            }
            if (!onlyHome) {
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

    private boolean hasOnlyHome(SandboxId id) {
        return Files.notExists(layout.workspace(id), LinkOption.NOFOLLOW_LINKS)
                && Files.exists(layout.home(id), LinkOption.NOFOLLOW_LINKS);
    }

    private void copy(Path from, Path to, Optional<HostUser> user) throws IOException {
        var draft = to.resolveSibling(to.getFileName() + ".draft");
        trees.delete(draft);
        trees.delete(to);
        trees.copy(from, draft);
        trees.giveAll(draft, user);
        Files.move(draft, to, StandardCopyOption.ATOMIC_MOVE);
    }

    /** The user that owns a sandbox's files, where sandboxes have users of their own. */
    public OptionalInt owner(SandboxId id) throws IOException {
        var workspace = workspace(id);
        return uids.isPresent() && Files.exists(workspace, LinkOption.NOFOLLOW_LINKS)
                ? OptionalInt.of(Modes.owner(workspace))
                : OptionalInt.empty();
    }

    /** The same, but only if no other sandbox, and nothing else, runs as that user. */
    public OptionalInt heldUser(SandboxId id) throws IOException {
        var owner = owner(id);
        return owner.isPresent()
                        && uids.isPresent()
                        && uids.get().holds(layout.sandbox(id), owner.getAsInt())
                ? owner
                : OptionalInt.empty();
    }

    /** The same for a sandbox to be removed, whose image may be broken. */
    public OptionalInt heldUserIfKnown(SandboxId id) {
        try {
            return heldUser(id);
        } catch (IOException e) {
            return OptionalInt.empty();
        }
    }

    /** The sockets and the temporary files, which end with the process. */
    public void deleteRun(SandboxId id) throws IOException {
        trees.delete(layout.egress(id));
        trees.delete(layout.tmp(id));
        trees.delete(layout.run(id)); // last: it tells whether there is something to end
    }

    /** Everything, and then the claim on the user: never a file without its owner's claim. */
    public void discard(SandboxId id) throws IOException {
        var held = heldUserIfKnown(id);
        disks.delete(layout.sandbox(id)); // first: in a damaged image no file can be deleted
        deleteRun(id);
        trees.delete(layout.logs(id));
        trees.delete(layout.sandbox(id));
        if (uids.isPresent() && held.isPresent()) {
            uids.get().release(layout.sandbox(id), held.getAsInt());
        }
    }
}
