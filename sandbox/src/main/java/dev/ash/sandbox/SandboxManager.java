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
 * Starts and terminates sandboxes: directories, isolation, processes, and connections to bridges.
 * The caller of {@link #launch} owns the {@link Sandbox}; {@link #close} terminates the ones that
 * are still open.
 */
public final class SandboxManager implements SandboxHost, AutoCloseable {
    private final HostPaths paths;
    private final LaunchContext context;
    private final Isolation isolation;
    private final Launcher launcher;
    private final Adopter adopter;
    private final Spawner spawner;
    private final Optional<AotTraining> training;
    private final LaunchSlots slots = new LaunchSlots();
    private final StartLimiter startLimiter = StartLimiter.forThisMachine();
    private final Supervisor supervisor;
    private final OrphanProcesses orphans;
    private final ConfinedCommands commands;
    private final DiskReserve reserve;
    private final ImageDisks disks;

    /** The components that {@link HostSetup} creates. */
    record Parts(
            HostPaths paths,
            LaunchContext context,
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
        this.context = parts.context();
        this.isolation = parts.isolation();
        this.launcher = parts.launcher();
        this.adopter = parts.adopter();
        this.spawner = parts.spawner();
        this.supervisor = parts.supervisor();
        this.commands = parts.commands();
        this.reserve = parts.reserve();
        this.disks = parts.disks();
        this.orphans = new OrphanProcesses(context, slots, commands::isRunning);
        Thread.ofVirtual().name("ash-peer-process").start(PeerProcess::prepare);
        this.training =
                context.bridge() instanceof JavaBridge bridge
                        ? Optional.of(AotTraining.start(bridge, spawner))
                        : Optional.empty();
    }

    /** Prepares the host for sandboxes and probes its isolation. */
    public static SandboxManager open(SandboxConfig config, HostPaths paths) {
        var path = config.hostEnvironment().getOrDefault("PATH", "");
        return HostSetup.open(config, paths, Machine.current(path));
    }

    /** Returns the isolation of sandboxes with this network. */
    public Isolation isolation(Network network) {
        boolean opened = network == Network.OPEN && isolation.network().equals("closed");
        return new Isolation(
                isolation.kind(),
                opened ? "open" : isolation.network(),
                isolation.missing(),
                isolation.limits(),
                isolation.disk());
    }

    /** Throws if less disk space than the reserve is free. */
    public void requireDiskSpace() {
        reserve.require();
    }

    /** Returns the runner of commands outside sandboxes. */
    public ConfinedCommands commands() {
        return commands;
    }

    /** Returns the directory of the egress socket of a sandbox; exists while the sandbox runs. */
    public Path egress(SandboxId id) {
        return context.layout().egress(id);
    }

    /**
     * Starts a sandbox and waits until its bridge is ready. The first launch creates its
     * directories and copies the agent; later launches reuse them.
     */
    public Sandbox launch(SandboxSpec spec) {
        return launch(resolve(spec), () -> {});
    }

    @Override
    public LocalSpec resolve(SandboxSpec spec) {
        return LocalSpec.of(spec, paths);
    }

    @Override
    public Sandbox launch(LocalSpec local, Runnable onExit) {
        var id = local.spec().id();
        if (Files.notExists(context.layout().sandbox(id))) {
            requireDiskSpace();
        }
        var slot = slots.acquire(id);
        try (var _ = startLimiter.acquire()) {
            return launcher.launch(local, slot, onExit);
        }
    }

    @Override
    public Optional<Sandbox> adopt(SandboxId id, String nonce, Runnable onExit) {
        return adopter.adopt(id, nonce, slots.acquire(id), onExit);
    }

    @Override
    public void terminate(SandboxId id) {
        slots.find(id).ifPresent(Slot::terminate);
    }

    @Override
    public void terminate(Collection<SandboxId> ids) {
        slots.terminate(ids);
    }

    /** Terminates a sandbox if it runs, deletes its files and releases its uid. */
    @Override
    public void discard(SandboxId id) {
        terminate(id);
        var slot = slots.acquire(id);
        try {
            // The run directory of a sandbox that was terminated regularly does not exist.
            if (Files.exists(context.layout().run(id), LinkOption.NOFOLLOW_LINKS)) {
                var uid = context.directories().claimedUidIfKnown(id);
                SandboxProcess.killLeftovers(context.markers(id, uid));
            }
            context.directories().discard(id);
        } catch (IOException e) {
            throw new ApiException(
                    ErrorCode.SANDBOX_FAILED,
                    "Cannot delete the files of sandbox %s: %s".formatted(id, e),
                    e);
        } finally {
            slot.release();
        }
    }

    @Override
    public void copy(SandboxId from, SandboxId to) {
        var source = slotForCopy(from);
        try {
            var target = slotForCopy(to);
            try {
                adopter.killLeftovers(from);
                context.directories().copy(from, to);
            } catch (IOException e) {
                throw Launcher.failure("Cannot copy the files of the sandbox", e);
            } finally {
                target.release();
            }
        } finally {
            source.release();
        }
    }

    private Slot slotForCopy(SandboxId id) {
        if (slots.find(id).isPresent()) {
            throw new IllegalStateException(
                    "Sandbox %s is running and cannot be the source or target of a copy."
                            .formatted(id));
        }
        return slots.acquire(id);
    }

    @Override
    public Path workspace(SandboxId id) {
        try {
            return context.directories().workspace(id);
        } catch (IOException e) {
            throw Launcher.failure("Cannot access the files of the sandbox", e);
        }
    }

    /** Returns the directory with {@code stdout.log} and {@code stderr.log}. */
    public Path logs(SandboxId id) {
        return context.layout().logs(id);
    }

    /** Returns the uid that owns a sandbox's files, if sandboxes have dedicated uids. */
    public OptionalInt owner(SandboxId id) {
        try {
            return context.directories().owner(id);
        } catch (IOException e) {
            return OptionalInt.empty(); // removed concurrently
        }
    }

    /**
     * Kills leftovers. Call only if no other server uses the data directory: its sandboxes would be
     * killed too. A sandbox that was terminated regularly has no run directory, and one that this
     * server runs is not a leftover.
     */
    @Override
    public boolean killLeftovers(SandboxId id) {
        if (Files.notExists(context.layout().run(id), LinkOption.NOFOLLOW_LINKS)
                || slots.find(id).isPresent()) {
            return false;
        }
        var slot = slots.acquire(id);
        try {
            adopter.killLeftovers(id);
        } finally {
            slot.release();
        }
        return true;
    }

    @Override
    public void killOrphans() {
        orphans.kill();
        commands.deleteLeftovers();
    }

    @Override
    public int orphans() {
        return orphans.count();
    }

    @Override
    public Set<SandboxId> existing() {
        return context.layout().existing();
    }

    /** Terminates all sandboxes; their files stay. Idempotent. */
    @Override
    public void close() {
        slots.close();
        commands.close();
        supervisor.close();
        context.groups().close();
        training.ifPresent(AotTraining::close);
        disks.close();
        spawner.close();
    }
}
