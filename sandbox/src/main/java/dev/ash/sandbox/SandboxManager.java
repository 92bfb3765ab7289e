package dev.ash.sandbox;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.SandboxId;
import dev.ash.protocol.rest.Isolation;
import dev.ash.sandbox.IsolationProbe.Users;
import dev.ash.sandbox.LaunchSlots.Slot;
import dev.ash.sandbox.disk.ImageDisks;
import dev.ash.sandbox.files.AotTraining;
import dev.ash.sandbox.files.CommandFolders;
import dev.ash.sandbox.files.DataLayout;
import dev.ash.sandbox.files.JavaBridge;
import dev.ash.sandbox.files.OutputSampler;
import dev.ash.sandbox.files.SandboxFolders;
import dev.ash.sandbox.files.UidRegistry;
import dev.ash.sandbox.launch.Gate;
import dev.ash.sandbox.launch.SandboxProcess;
import dev.ash.sandbox.launch.Spawner;
import dev.ash.sandbox.limits.DiskReserve;
import dev.ash.sandbox.limits.Groups;
import dev.ash.sandbox.limits.Watch;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
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
    private static final Logger LOG = System.getLogger(SandboxManager.class.getName());

    private static final Duration TRIAL_PATIENCE = Duration.ofSeconds(10);

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

    private SandboxManager(
            LaunchSite site,
            Isolation isolation,
            Launcher launcher,
            Adopter adopter,
            Spawner spawner,
            Supervisor supervisor,
            ConfinedCommands commands,
            DiskReserve reserve,
            ImageDisks disks) {
        this.site = site;
        this.isolation = isolation;
        this.launcher = launcher;
        this.adopter = adopter;
        this.spawner = spawner;
        this.supervisor = supervisor;
        this.commands = commands;
        this.reserve = reserve;
        this.disks = disks;
        this.strays = new Strays(site, slots, commands::isRunning);
        Thread.ofVirtual().name("ash-peer-process").start(PeerProcess::prepare);
        this.training =
                site.bridge() instanceof JavaBridge bridge
                        ? Optional.of(AotTraining.start(bridge, spawner))
                        : Optional.empty();
    }

    /** Prepares what sandboxes share, and tries the wall once. */
    public static SandboxManager open(SandboxConfig config) {
        return open(config, Machine.thisOne(config.hostEnvironment().getOrDefault("PATH", "")));
    }

    static SandboxManager open(SandboxConfig config, Machine machine) {
        var spawner = new Spawner();
        boolean opened = false;
        try {
            var manager = open(config, machine, spawner);
            opened = true;
            return manager;
        } catch (IOException e) {
            throw new ApiException(
                    ErrorCode.INTERNAL,
                    "Sandboxes cannot be prepared in the data directory %s: %s. The server must be able to write there; ASH_DATA_DIR names another."
                            .formatted(config.dataDir(), e),
                    e);
        } finally {
            if (!opened) {
                spawner.close();
            }
        }
    }

    private static SandboxManager open(SandboxConfig config, Machine machine, Spawner spawner)
            throws IOException {
        var layout = DataLayout.create(config.dataDir());
        layout.requireRoomForSockets();
        int serverUid = layout.serverUid();
        var uids = machine.uids(serverUid);
        if (uids.isPresent()) {
            layout.requireParentsOpen();
        }
        var users = uids.isPresent() ? Users.OWN : serverUid == 0 ? Users.ROOT : Users.SERVER;
        var disks =
                ImageDisks.open(
                        config.disk().mode(),
                        layout.disks(),
                        layout.sandboxes(),
                        spawner,
                        config.hostEnvironment().getOrDefault("PATH", ""));
        try {
            return open(config, machine, spawner, layout, uids, users, disks);
        } catch (IOException | RuntimeException e) {
            disks.close();
            throw e;
        }
    }

    private static SandboxManager open(
            SandboxConfig config,
            Machine machine,
            Spawner spawner,
            DataLayout layout,
            Optional<UidRegistry> uids,
            Users users,
            ImageDisks disks)
            throws IOException {
        var folders = new SandboxFolders(layout, uids, disks, spawner);
        var groups =
                Groups.open(
                        machine.self(),
                        layout.name(),
                        doors -> spawner.run(Gate.trial(doors), TRIAL_PATIENCE) == 0);
        try {
            var site =
                    LaunchSite.prepare(
                            config,
                            layout,
                            folders,
                            groups,
                            machine.etc(),
                            uids.isPresent(),
                            spawner);
            return open(config, machine, spawner, site, users, disks);
        } catch (IOException | RuntimeException e) {
            groups.close();
            throw e;
        }
    }

    private static SandboxManager open(
            SandboxConfig config,
            Machine machine,
            Spawner spawner,
            LaunchSite site,
            Users users,
            ImageDisks disks)
            throws IOException {
        var probe = new IsolationProbe(site, machine.tools(), users, spawner);
        var finding = probe.run(disks.usedForNew() ? "image" : "watch");
        report(finding.isolation(), config);
        var reserve = DiskReserve.of(site.layout().root(), config.disk().reserveMb());
        var supervisor =
                new Supervisor(
                        site.layout(), site.folders(), new Watch(reserve), new OutputSampler());
        var launcher = new Launcher(config, site, finding.wall(), spawner, supervisor);
        var adopter = new Adopter(site, BridgeIdentity.of(config, site), supervisor);
        var commands =
                new ConfinedCommands(
                        finding.wall(), site.groups(), new CommandFolders(site.layout()), spawner);
        return new SandboxManager(
                site,
                finding.isolation(),
                launcher,
                adopter,
                spawner,
                supervisor,
                commands,
                reserve,
                disks);
    }

    private static void report(Isolation isolation, SandboxConfig config) {
        var missing = isolation.missing();
        if (missing == null) {
            return;
        }
        if (config.requireIsolation()) {
            throw new ApiException(
                    ErrorCode.SANDBOX_FAILED,
                    "Sandboxes must be isolated (ASH_REQUIRE_ISOLATION=1) and would not fully be: "
                            + missing);
        }
        LOG.log(Level.WARNING, "SANDBOXES ARE NOT FULLY ISOLATED: {0}", missing);
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
        return launch(spec, () -> {});
    }

    @Override
    public Sandbox launch(SandboxSpec spec, Runnable whenGone) {
        if (Files.notExists(site.layout().sandbox(spec.id()))) {
            requireDiskSpace();
        }
        var slot = slots.take(spec.id());
        try (var _ = starts.begin()) {
            return launcher.launch(spec, slot, whenGone);
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
