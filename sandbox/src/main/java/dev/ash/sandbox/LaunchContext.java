package dev.ash.sandbox;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.SandboxId;
import dev.ash.sandbox.LaunchSlots.Slot;
import dev.ash.sandbox.SandboxEnvironmentTable.SandboxPaths;
import dev.ash.sandbox.files.BridgeProgram;
import dev.ash.sandbox.files.CommandBridge;
import dev.ash.sandbox.files.DataLayout;
import dev.ash.sandbox.files.EngineProgram;
import dev.ash.sandbox.files.EtcDirectory;
import dev.ash.sandbox.files.EtcDirectory.NameResolution;
import dev.ash.sandbox.files.JavaBridge;
import dev.ash.sandbox.files.JavaHome;
import dev.ash.sandbox.files.SandboxDirectories;
import dev.ash.sandbox.files.SeccompFilterFile;
import dev.ash.sandbox.launch.Confinement;
import dev.ash.sandbox.launch.HostUser;
import dev.ash.sandbox.launch.Launch;
import dev.ash.sandbox.launch.Launch.NetworkAccess;
import dev.ash.sandbox.launch.LaunchRecord;
import dev.ash.sandbox.launch.Mount;
import dev.ash.sandbox.launch.Mount.Access;
import dev.ash.sandbox.launch.NoConfinement;
import dev.ash.sandbox.launch.ProcessMarkers;
import dev.ash.sandbox.launch.Spawner;
import dev.ash.sandbox.limits.ControlGroup;
import dev.ash.sandbox.limits.ControlGroups;
import dev.ash.sandbox.limits.ResolvedLimits;
import dev.ash.sandbox.limits.Rlimits;
import dev.ash.sandbox.seccomp.Processor;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Collectors;

/**
 * The state that all launches share: directories, mounts, programs, the system call filter and
 * control groups. Prepared once at start.
 */
record LaunchContext(
        DataLayout layout,
        SandboxDirectories directories,
        Map<Network, EtcDirectory> etc,
        Optional<Path> filter,
        List<Mount> sharedMounts,
        BridgeProgram bridge,
        List<EngineProgram> engines,
        ControlGroups groups) {

    private static final Logger LOG = System.getLogger(LaunchContext.class.getName());

    /** The inherited variable that marks the processes of a sandbox. */
    static final String MARK = "ASH_SANDBOX_ID=";

    private static final String EGRESS = "/run/egress";

    static LaunchContext prepare(
            SandboxConfig config,
            DataLayout layout,
            SandboxDirectories directories,
            ControlGroups groups,
            Path hostEtc,
            boolean dedicatedUsers,
            Spawner spawner)
            throws IOException {
        var etc =
                Map.of(
                        Network.CLOSED,
                        EtcDirectory.prepare(layout.etc(), hostEtc, NameResolution.LOOPBACK),
                        Network.OPEN,
                        EtcDirectory.prepare(layout.openEtc(), hostEtc, NameResolution.HOST));
        var mounts = new ArrayList<Mount>();
        BridgeProgram bridge;
        if (config.bridgeCommand().isEmpty()) {
            var home = Path.of(System.getProperty("java.home"));
            var java = JavaHome.prepare(home, layout, dedicatedUsers, spawner);
            mounts.addAll(java.mounts());
            bridge = JavaBridge.prepare(config.bridgeJars(), java, layout, spawner);
        } else {
            bridge = CommandBridge.prepare(config.bridgeCommand(), layout, spawner);
        }
        mounts.add(Mount.readOnly(bridge.directory(), BridgeProgram.SANDBOX_DIRECTORY.toString()));
        var engines = engines(config, layout, spawner);
        engines.forEach(engine -> mounts.addAll(engine.mounts()));
        var filter =
                SeccompFilterFile.prepare(layout, Processor.named(System.getProperty("os.arch")));
        return new LaunchContext(
                layout, directories, etc, filter, List.copyOf(mounts), bridge, engines, groups);
    }

    private static List<EngineProgram> engines(
            SandboxConfig config, DataLayout layout, Spawner spawner) throws IOException {
        var engines = new ArrayList<EngineProgram>();
        for (var engine : config.enginePrograms()) {
            engines.add(EngineProgram.prepare(engine.path(), engine.program(), layout, spawner));
        }
        return List.copyOf(engines);
    }

    /** Builds the launch of a sandbox's bridge. */
    Launch launch(
            LocalSpec local,
            ProcessMarkers markers,
            Confinement confinement,
            SandboxConfig config) {
        var spec = local.spec();
        boolean unconfined = confinement instanceof NoConfinement;
        var access = spec.network().access.atLeast(confinement.minNetworkAccess());
        var table =
                new SandboxEnvironmentTable(
                        config.hostEnvironment(),
                        config.ashEnvironment(),
                        engines.stream()
                                .collect(
                                        Collectors.toMap(
                                                EngineProgram::variable,
                                                program -> program.path(unconfined))),
                        config.modelKeys().apply(spec.id()));
        var project = local.project();
        var workspace = workspace(local);
        return new Launch(
                layout.sandbox(spec.id()),
                project == null ? HostUser.dedicated(markers.uid()) : project.owner(),
                workspace,
                mounts(spec.id(), local.agentDir(), spec.network(), workspace),
                access,
                markers.group().procsFiles(),
                Rlimits.of(ResolvedLimits.of(spec.limits())),
                unconfined ? bridge.unconfined() : bridge.confined(),
                table.variables(
                        spec,
                        unconfined
                                ? hostPaths(local, workspace)
                                : sandboxPaths(spec, workspace, access),
                        bridge));
    }

    EtcDirectory etc(Network network) {
        return Objects.requireNonNull(etc.get(network));
    }

    List<Mount> mounts(SandboxId id, Path agentDir, Network network, Mount workspace) {
        var mounts = new ArrayList<Mount>();
        mounts.add(Mount.empty(layout.run(id), "/tmp"));
        mounts.add(Mount.writable(layout.home(id), "/home/agent"));
        mounts.add(Mount.readOnly(agentDir, "/opt/agent"));
        mounts.add(Mount.readOnly(layout.egress(id), EGRESS));
        mounts.addAll(etc(network).mounts());
        mounts.addAll(sharedMounts);
        requireDisjoint(workspace, mounts);
        mounts.add(workspace);
        return mounts;
    }

    Mount workspace(SandboxId id) {
        return Mount.writable(layout.workspace(id), "/workspace");
    }

    /**
     * Mounts a project at its host path, so that paths in the agent's output are valid on the host.
     */
    private Mount workspace(LocalSpec local) {
        var project = local.project();
        var mount =
                project == null
                        ? workspace(local.spec().id())
                        : Mount.writable(project.path(), project.path().toString());
        return local.spec().readOnly() ? Mount.readOnly(mount.source(), mount.target()) : mount;
    }

    /**
     * Requires that the workspace and the other mounts are not nested, except in the empty {@code
     * /tmp}.
     */
    private static void requireDisjoint(Mount workspace, List<Mount> others) {
        var path = Path.of(workspace.target());
        for (var other : others) {
            var target = Path.of(other.target());
            if (target.startsWith(path)
                    || (path.startsWith(target) && other.access() != Access.WRITE_EMPTY)) {
                throw ApiException.invalid(
                        "workingDirectory",
                        "must not be %s: %s inside a sandbox is reserved".formatted(path, target));
            }
        }
        for (var reserved : List.of("/proc", "/dev")) {
            if (path.startsWith(reserved)) {
                throw ApiException.invalid(
                        "workingDirectory", "must not be in %s".formatted(reserved));
            }
        }
    }

    /**
     * Returns the process markers of the last recorded launch, or of the next one if none is
     * recorded.
     */
    ProcessMarkers markers(SandboxId id, OptionalInt uid) {
        var group =
                LaunchRecord.read(launchRecord(id))
                        .map(launch -> ControlGroup.recorded(id.value(), launch.groups()))
                        .orElseGet(() -> groups.of(id.value()));
        return new ProcessMarkers(uid, layout.sandbox(id).resolve("info.json"), MARK + id, group);
    }

    /** Returns the file of the {@link LaunchRecord} of the latest launch. */
    Path launchRecord(SandboxId id) {
        return layout.sandbox(id).resolve("launch.json");
    }

    /**
     * Cleans up after an exit. Releases the slot before the callback, which may launch the sandbox
     * again.
     */
    void cleanUp(SandboxId id, Slot slot, Runnable onExit) {
        try {
            directories.deleteRun(id);
        } catch (IOException e) {
            LOG.log(Level.WARNING, "Cannot delete the temporary files of sandbox {0}: {1}", id, e);
        }
        directories.release(id);
        slot.release();
        try {
            onExit.run();
        } catch (RuntimeException e) {
            LOG.log(Level.ERROR, "Cannot process the exit of sandbox " + id, e);
        }
    }

    private static SandboxPaths sandboxPaths(
            SandboxSpec spec, Mount workspace, NetworkAccess access) {
        var socket = "/tmp/" + DataLayout.socketName(spec.id());
        return new SandboxPaths(
                "/home/agent",
                "/tmp",
                socket,
                "/opt/agent",
                workspace.target(),
                EGRESS + "/" + DataLayout.EGRESS_SOCKET,
                true,
                access == NetworkAccess.NONE);
    }

    private SandboxPaths hostPaths(LocalSpec local, Mount workspace) {
        var id = local.spec().id();
        return new SandboxPaths(
                layout.home(id).toString(),
                layout.run(id).toString(),
                layout.socket(id).toString(),
                local.agentDir().toString(),
                workspace.source().toString(),
                layout.egress(id).resolve(DataLayout.EGRESS_SOCKET).toString(),
                false,
                false);
    }
}
