package dev.ash.sandbox;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.SandboxId;
import dev.ash.protocol.rest.Isolation;
import dev.ash.sandbox.LaunchSlots.Slot;
import dev.ash.sandbox.disk.ImageDisks;
import dev.ash.sandbox.files.AotTraining;
import dev.ash.sandbox.files.JavaBridge;
import dev.ash.sandbox.launch.SandboxProcess;
import dev.ash.sandbox.launch.Spawner;
import dev.ash.sandbox.limits.DiskReserve;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

/**
 * Starts and ends sandboxes: folders, the wall, the process, the connection to the bridge. Whoever
 * gets a {@link Sandbox} from {@link #launch} owns it; those that nobody closed end with {@link
 * #close}.
 */
public final class SandboxManager implements SandboxHost, AutoCloseable {
    private final HostPaths paths;
    private final LaunchSite site;
    private final Isolation isolation;
    private final Launcher launcher;
    private final Adopter adopter;
    private final Spawner spawner;
    private final Optional<AotTraining> training;
    private final LaunchSlots slots = new LaunchSlots();
    private final Starts starts = Starts.forThisMachine();
    private final Supervisor supervisor;
    private final Strays strays;
    private final ConfinedCommands commands;
    private final DiskReserve reserve;
    private final ImageDisks disks;

    /** What {@link HostSetup} makes. */
    record Parts(
            HostPaths paths,
            LaunchSite site,
            Isolation isolation,
            Launcher launcher,
            Adopter adopter,
            Spawner spawner,
            Supervisor supervisor,
            ConfinedCommands commands,
            DiskReserve reserve,
            ImageDisks disks) {}

    SandboxManager(Parts parts) {
        this.paths = parts.paths();
        this.site = parts.site();
        this.isolation = parts.isolation();
        this.launcher = parts.launcher();
        this.adopter = parts.adopter();
        this.spawner = parts.spawner();
        this.supervisor = parts.supervisor();
        this.commands = parts.commands();
        this.reserve = parts.reserve();
        this.disks = parts.disks();
        this.strays = new Strays(site, slots, commands::isRunning);
        Thread.ofVirtual().name("ash-peer-process").start(PeerProcess::prepare);
        this.training =
                site.bridge() instanceof JavaBridge bridge
                        ? Optional.of(AotTraining.start(bridge, spawner))
                        : Optional.empty();
    }

    /** Prepares what sandboxes share, and tries the wall once. */
    public static SandboxManager open(SandboxConfig config, HostPaths paths) {
        var path = config.hostEnvironment().getOrDefault("PATH", "");
        return HostSetup.open(config, paths, Machine.thisOne(path));
    }

    /** What stands between the host and sandboxes with such a network. */
    public Isolation isolation(Network network) {
        boolean opened = network == Network.OPEN && isolation.network().equals("closed");
        return new Isolation(
                isolation.kind(),
                opened ? "open" : isolation.network(),
                isolation.missing(),
                isolation.limits(),
                isolation.disk());
    }

    /** Refuses new sandboxes while too little of the disk is free. */
    public void requireDiskSpace() {
        reserve.require();
    }

    /** Runs commands that need no sandbox, with the same isolation. */
    public ConfinedCommands commands() {
        return commands;
    }

    /** The folder in which the server listens for a sandbox, while the sandbox lives. */
    public Path egress(SandboxId id) {
        return site.layout().egress(id);
    }

    /**
     * Starts a sandbox and waits until its bridge is ready. On its first launch it gets its folders
     * and a copy of the agent; later ones find these as they were left.
     */
    public Sandbox launch(SandboxSpec spec) {
        return launch(resolve(spec), () -> {});
    }

    @Override
    public LocalSpec resolve(SandboxSpec spec) {
        return LocalSpec.of(spec, paths);
    }

    @Override
    public Sandbox launch(LocalSpec local, Runnable whenGone) {
        var id = local.spec().id();
        if (Files.notExists(site.layout().sandbox(id))) {
            requireDiskSpace();
        }
        var slot = slots.take(id);
        try (var _ = starts.begin()) {
            return launcher.launch(local, slot, whenGone);
        }
    }

    @Override
    public Optional<Sandbox> adopt(SandboxId id, String nonce, Runnable whenGone) {
        return adopter.adopt(id, nonce, slots.take(id), whenGone);
    }

    @Override
    public void end(SandboxId id) {
        slots.find(id).ifPresent(Slot::end);
    }

    @Override
    public void end(Collection<SandboxId> ids) {
        slots.end(ids);
    }

    /** Ends a sandbox if it runs, removes all its files and frees its user. */
    @Override
    public void discard(SandboxId id) {
        end(id);
        var slot = slots.take(id);
        try {
            if (Files.exists(site.layout().sandbox(id))) { // maybe left by a crashed server
                var uid = site.folders().heldUserIfKnown(id);
                SandboxProcess.endLeftovers(site.traces(id, uid));
            }
            site.folders().discard(id);
        } catch (IOException e) {
            throw new ApiException(
                    ErrorCode.SANDBOX_FAILED,
                    "The files of sandbox %s could not be removed: %s".formatted(id, e),
                    e);
        } finally {
            slot.free();
        }
    }

    @Override
    public void copy(SandboxId from, SandboxId to) {
        var source = slotForCopy(from);
        try {
            var target = slotForCopy(to);
            try {
                adopter.endLeftovers(from);
                site.folders().copy(from, to);
            } catch (IOException e) {
                throw Launcher.failure("The files could not be copied", e);
            } finally {
                target.free();
            }
        } finally {
            source.free();
        }
    }

    private Slot slotForCopy(SandboxId id) {
        if (slots.find(id).isPresent()) {
            throw new IllegalStateException(
                    "Sandbox %s runs, so it can be neither copied nor be a copy.".formatted(id));
        }
        return slots.take(id);
    }

    @Override
    public Path workspace(SandboxId id) {
        try {
            return site.folders().workspace(id);
        } catch (IOException e) {
            throw Launcher.failure("The files of the sandbox cannot be reached", e);
        }
    }

    /** The folder with {@code stdout.log} and {@code stderr.log}. */
    public Path logs(SandboxId id) {
        return site.layout().logs(id);
    }

    /** The host's user that owns a sandbox's files, where sandboxes have users of their own. */
    public OptionalInt owner(SandboxId id) {
        try {
            return site.folders().owner(id);
        } catch (IOException e) {
            return OptionalInt.empty(); // it has just been removed
        }
    }

    /**
     * Only for one who knows that no other server has the data directory: its sandboxes would be
     * ended too. One that ended in order has no run folder any more, and one that this server runs
     * is none that was left.
     */
    @Override
    public boolean endLeftovers(SandboxId id) {
        if (Files.notExists(site.layout().run(id), LinkOption.NOFOLLOW_LINKS)
                || slots.find(id).isPresent()) {
            return false;
        }
        var slot = slots.take(id);
        try {
            adopter.endLeftovers(id);
        } finally {
            slot.free();
        }
        return true;
    }

    @Override
    public void endStrays() {
        strays.end();
        commands.deleteLeftovers();
    }

    @Override
    public int orphans() {
        return strays.count();
    }

    @Override
    public Set<SandboxId> existing() {
        return site.layout().existing();
    }

    /** Ends all sandboxes; their files stay. May be called twice. */
    @Override
    public void close() {
        slots.close();
        commands.close();
        supervisor.close();
        site.groups().close();
        training.ifPresent(AotTraining::close);
        disks.close();
        spawner.close();
    }
}
