package dev.ash.sandbox;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.rest.Isolation;
import dev.ash.sandbox.IsolationProbe.Users;
import dev.ash.sandbox.disk.ImageDisks;
import dev.ash.sandbox.files.CommandDirectories;
import dev.ash.sandbox.files.DataLayout;
import dev.ash.sandbox.files.OutputSampler;
import dev.ash.sandbox.files.SandboxDirectories;
import dev.ash.sandbox.files.UidRegistry;
import dev.ash.sandbox.launch.LaunchScript;
import dev.ash.sandbox.launch.Spawner;
import dev.ash.sandbox.limits.ControlGroups;
import dev.ash.sandbox.limits.DiskReserve;
import dev.ash.sandbox.limits.LimitMonitor;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Optional;

/**
 * Opens a {@link SandboxManager}: prepares the directories, disks and control groups that all
 * sandboxes of a host share, and probes the isolation. If a step fails, closes the resources of the
 * earlier steps.
 */
final class HostSetup {
    private static final Logger LOG = System.getLogger(SandboxManager.class.getName());
    private static final Duration JOIN_TIMEOUT = Duration.ofSeconds(10);

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
                    ("Cannot prepare sandboxes in the data directory %s: %s. Make it writable for the"
                                    + " server, or set ASH_DATA_DIR to another directory.")
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
        layout.requireShortSocketPaths();
        int serverUid = layout.serverUid();
        var uids = machine.uids(serverUid);
        if (uids.isPresent()) {
            layout.requireTraversableParents();
        }
        var users = uids.isPresent() ? Users.DEDICATED : serverUid == 0 ? Users.ROOT : Users.SERVER;
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
        var directories = new SandboxDirectories(layout, uids, disks, spawner);
        var groups =
                ControlGroups.open(
                        machine.self(),
                        layout.name(),
                        procsFiles ->
                                spawner.run(LaunchScript.join(procsFiles), JOIN_TIMEOUT) == 0);
        try {
            var context =
                    LaunchContext.prepare(
                            config,
                            layout,
                            directories,
                            groups,
                            machine.etc(),
                            uids.isPresent(),
                            spawner);
            return open(context, users, disks);
        } catch (IOException | RuntimeException e) {
            groups.close();
            throw e;
        }
    }

    private SandboxManager open(LaunchContext context, Users users, ImageDisks disks)
            throws IOException {
        var probe = new IsolationProbe(context, machine.tools(), users, spawner);
        var probed = probe.run(disks.isUsedForNew() ? "image" : "watch");
        report(probed.isolation());
        var reserve = DiskReserve.of(context.layout().root(), config.disk().reserveMb());
        var supervisor =
                new Supervisor(
                        context.layout(),
                        context.directories(),
                        new LimitMonitor(reserve),
                        new OutputSampler());
        var launcher = new Launcher(config, context, probed.confinement(), spawner, supervisor);
        var adopter = new Adopter(context, BridgeIdentity.of(config, context), supervisor);
        var commands =
                new ConfinedCommands(
                        probed.confinement(),
                        context.groups(),
                        new CommandDirectories(context.layout()),
                        spawner);
        return new SandboxManager(
                new SandboxManager.Parts(
                        paths,
                        context,
                        probed.isolation(),
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
                    "Sandboxes cannot be fully isolated on this host, and ASH_REQUIRE_ISOLATION=1"
                            + " requires it: "
                            + missing);
        }
        LOG.log(Level.WARNING, "SANDBOXES ARE NOT FULLY ISOLATED: {0}", missing);
    }
}
