package dev.ash.sandbox.files;

import dev.ash.protocol.SandboxId;
import dev.ash.sandbox.launch.Spawner;
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

    public SandboxFolders(DataLayout layout, Optional<UidRegistry> uids, Spawner spawner) {
        this.layout = layout;
        this.uids = uids;
        this.trees = new Trees(spawner);
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
            trees.giveAll(layout.workspace(id), uid);
            if (Files.exists(layout.home(id))) {
                trees.giveAll(layout.home(id), uid);
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
        Modes.give(Modes.folder(layout.home(id), Modes.OWNER_ONLY), uid);
        trees.delete(layout.run(id)); // the last sandbox's socket and temporary files
        Modes.give(Modes.folder(layout.run(id), Modes.OWNER_ONLY), uid);
        Modes.folder(layout.egress(id), Modes.SHOWN);
    }

    /**
     * Makes a sandbox that has copies of another's workspace and home, and a user of its own. What
     * an earlier try left unfinished is begun anew; a failure leaves nothing.
     */
    public void copy(SandboxId from, SandboxId to) throws IOException {
        if (Files.exists(layout.workspace(to), LinkOption.NOFOLLOW_LINKS)) {
            throw new IllegalStateException("Sandbox %s has files of its own.".formatted(to));
        }
        var uid = claim(to);
        boolean done = false;
        try {
            // The workspace last: where there is one, all is there.
            if (Files.exists(layout.home(from), LinkOption.NOFOLLOW_LINKS)) {
                copy(layout.home(from), layout.home(to), uid);
            }
            copy(layout.workspace(from), layout.workspace(to), uid);
            done = true;
        } finally {
            if (!done) {
                trees.delete(layout.sandbox(to));
                if (uids.isPresent() && uid.isPresent()) {
                    uids.get().release(layout.sandbox(to), uid.getAsInt());
                }
            }
        }
    }

    private void copy(Path from, Path to, OptionalInt uid) throws IOException {
        var draft = to.resolveSibling(to.getFileName() + ".draft");
        trees.delete(draft);
        trees.delete(to);
        trees.copy(from, draft);
        trees.giveAll(draft, uid);
        Files.move(draft, to, StandardCopyOption.ATOMIC_MOVE);
    }

    /** The user that owns a sandbox's files, where sandboxes have users of their own. */
    public OptionalInt owner(SandboxId id) throws IOException {
        var workspace = layout.workspace(id);
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

    /** The sockets and the temporary files, which end with the process. */
    public void deleteRun(SandboxId id) throws IOException {
        trees.delete(layout.egress(id));
        trees.delete(layout.run(id)); // last: it tells whether there is something to end
    }

    /** Everything, and then the claim on the user: never a file without its owner's claim. */
    public void discard(SandboxId id) throws IOException {
        var held = heldUser(id);
        deleteRun(id);
        trees.delete(layout.logs(id));
        trees.delete(layout.sandbox(id));
        if (uids.isPresent() && held.isPresent()) {
            uids.get().release(layout.sandbox(id), held.getAsInt());
        }
    }
}
