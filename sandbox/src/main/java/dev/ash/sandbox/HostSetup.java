package dev.ash.sandbox;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.rest.Isolation;
import dev.ash.sandbox.IsolationProbe.Users;
import dev.ash.sandbox.disk.ImageDisks;
import dev.ash.sandbox.files.CommandFolders;
import dev.ash.sandbox.files.DataLayout;
import dev.ash.sandbox.files.OutputSampler;
import dev.ash.sandbox.files.SandboxFolders;
import dev.ash.sandbox.files.UidRegistry;
import dev.ash.sandbox.launch.Gate;
import dev.ash.sandbox.launch.Spawner;
import dev.ash.sandbox.limits.DiskReserve;
import dev.ash.sandbox.limits.Groups;
import dev.ash.sandbox.limits.Watch;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Optional;

/**
 * Prepares what all sandboxes of a host share, and tries the isolation once. If a step fails, what
 * the steps before it opened is closed.
 */
final class HostSetup {
    private static final Logger LOG = System.getLogger(SandboxManager.class.getName());
    private static final Duration TRIAL_TIMEOUT = Duration.ofSeconds(10);

    private final SandboxConfig config;
    private final HostPaths paths;
    private final Machine machine;
    private final Spawner spawner;

    private HostSetup(SandboxConfig config, HostPaths paths, Machine machine, Spawner spawner) {
        this.config = config;
        this.paths = paths;
        this.machine = machine;
        this.spawner = spawner;
    }

    static SandboxManager open(SandboxConfig config, HostPaths paths, Machine machine) {
        var spawner = new Spawner();
        boolean opened = false;
        try {
            var manager = new HostSetup(config, paths, machine, spawner).open();
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

    private SandboxManager open() throws IOException {
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
            return open(layout, uids, users, disks);
        } catch (IOException | RuntimeException e) {
            disks.close();
            throw e;
        }
    }

    private SandboxManager open(
            DataLayout layout, Optional<UidRegistry> uids, Users users, ImageDisks disks)
            throws IOException {
        var folders = new SandboxFolders(layout, uids, disks, spawner);
        var groups =
                Groups.open(
                        machine.self(),
                        layout.name(),
                        doors -> spawner.run(Gate.trial(doors), TRIAL_TIMEOUT) == 0);
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
            return open(site, users, disks);
        } catch (IOException | RuntimeException e) {
            groups.close();
            throw e;
        }
    }

    private SandboxManager open(LaunchSite site, Users users, ImageDisks disks) throws IOException {
        var probe = new IsolationProbe(site, machine.tools(), users, spawner);
        var finding = probe.run(disks.usedForNew() ? "image" : "watch");
        report(finding.isolation());
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
                new SandboxManager.Parts(
                        paths,
                        site,
                        finding.isolation(),
                        launcher,
                        adopter,
                        spawner,
                        supervisor,
                        commands,
                        reserve,
                        disks));
    }

    private void report(Isolation isolation) {
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
}
