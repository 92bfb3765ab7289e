package dev.ash.sandbox;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.SandboxId;
import dev.ash.protocol.engine.EngineProfiles;
import dev.ash.sandbox.LaunchSlots.Slot;
import dev.ash.sandbox.SandboxEnvironmentTable.Places;
import dev.ash.sandbox.files.BridgeProgram;
import dev.ash.sandbox.files.CommandBridge;
import dev.ash.sandbox.files.DataLayout;
import dev.ash.sandbox.files.EngineProgram;
import dev.ash.sandbox.files.EtcFolder;
import dev.ash.sandbox.files.EtcFolder.Names;
import dev.ash.sandbox.files.FilterFile;
import dev.ash.sandbox.files.JavaBridge;
import dev.ash.sandbox.files.JavaHome;
import dev.ash.sandbox.files.SandboxFolders;
import dev.ash.sandbox.launch.Confinement;
import dev.ash.sandbox.launch.HostUser;
import dev.ash.sandbox.launch.Launch;
import dev.ash.sandbox.launch.Launch.Reach;
import dev.ash.sandbox.launch.LaunchRecord;
import dev.ash.sandbox.launch.Mount;
import dev.ash.sandbox.launch.Mount.Access;
import dev.ash.sandbox.launch.PlainChild;
import dev.ash.sandbox.launch.Spawner;
import dev.ash.sandbox.launch.Traces;
import dev.ash.sandbox.limits.Bounds;
import dev.ash.sandbox.limits.Group;
import dev.ash.sandbox.limits.Groups;
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

/** Everything that all launches share, made ready once. */
record LaunchSite(
        DataLayout layout,
        SandboxFolders folders,
        Map<Network, EtcFolder> etc,
        Optional<Path> filter,
        List<Mount> sharedMounts,
        BridgeProgram bridge,
        List<EngineProgram> engines,
        Groups groups) {

    private static final Logger LOG = System.getLogger(LaunchSite.class.getName());

    /** The variable by which a process tells whose it is. */
    static final String MARK = "ASH_SANDBOX_ID=";

    private static final String EGRESS = "/run/egress";

    static LaunchSite prepare(
            SandboxConfig config,
            DataLayout layout,
            SandboxFolders folders,
            Groups groups,
            Path hostEtc,
            boolean ownUsers,
            Spawner spawner)
            throws IOException {
        var etc =
                Map.of(
                        Network.CLOSED,
                        EtcFolder.prepare(layout.etc(), hostEtc, Names.ITS_OWN),
                        Network.OPEN,
                        EtcFolder.prepare(layout.openEtc(), hostEtc, Names.HOSTS));
        var mounts = new ArrayList<Mount>();
        BridgeProgram bridge;
        if (config.bridgeCommand().isEmpty()) {
            var home = Path.of(System.getProperty("java.home"));
            var java = JavaHome.prepare(home, layout, ownUsers, spawner);
            mounts.addAll(java.mounts());
            bridge = JavaBridge.prepare(config.bridgeJars(), java, layout, spawner);
        } else {
            bridge = CommandBridge.prepare(config.bridgeCommand(), layout, spawner);
        }
        mounts.add(Mount.readOnly(bridge.folder(), BridgeProgram.PLACE.toString()));
        var engines = engines(config, layout, spawner);
        engines.forEach(engine -> mounts.addAll(engine.mounts()));
        var filter = FilterFile.prepare(layout, Processor.named(System.getProperty("os.arch")));
        return new LaunchSite(
                layout, folders, etc, filter, List.copyOf(mounts), bridge, engines, groups);
    }

    private static List<EngineProgram> engines(
            SandboxConfig config, DataLayout layout, Spawner spawner) throws IOException {
        var engines = new ArrayList<EngineProgram>();
        for (var profile : EngineProfiles.ALL) {
            var program = config.enginePrograms().get(profile.name());
            if (program != null && profile.program().isPresent()) {
                engines.add(
                        EngineProgram.prepare(program, profile.program().get(), layout, spawner));
            }
        }
        return List.copyOf(engines);
    }

    /** The bridge of a sandbox, ready to be started. */
    Launch launch(LocalSpec local, Traces traces, Confinement wall, SandboxConfig config) {
        var spec = local.spec();
        boolean plain = wall instanceof PlainChild;
        var reach = spec.network().reach.atLeast(wall.leastReach());
        var table =
                new SandboxEnvironmentTable(
                        config.hostEnvironment(),
                        config.ashEnvironment(),
                        engines.stream()
                                .collect(
                                        Collectors.toMap(
                                                EngineProgram::variable,
                                                program -> program.path(plain))),
                        config.modelKeys().apply(spec.id()));
        var project = local.project();
        var workspace = workspace(local);
        return new Launch(
                layout.sandbox(spec.id()),
                project == null ? HostUser.ofItsOwn(traces.uid()) : project.owner(),
                workspace,
                mounts(spec.id(), local.agentDir(), spec.network(), workspace),
                reach,
                traces.group().doors(),
                Rlimits.of(Bounds.of(spec.limits())),
                plain ? bridge.unconfined() : bridge.confined(),
                table.rows(
                        spec,
                        plain
                                ? placesOnHost(local, workspace)
                                : placesInside(spec, workspace, reach),
                        bridge));
    }

    EtcFolder etc(Network network) {
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
        requireApart(workspace, mounts);
        mounts.add(workspace);
        return mounts;
    }

    Mount workspace(SandboxId id) {
        return Mount.writable(layout.workspace(id), "/workspace");
    }

    /** A folder of the host is seen at its own path, so that what an agent says of it is true. */
    private Mount workspace(LocalSpec local) {
        var project = local.project();
        var mount =
                project == null
                        ? workspace(local.spec().id())
                        : Mount.writable(project.path(), project.path().toString());
        return local.spec().readOnly() ? Mount.readOnly(mount.source(), mount.target()) : mount;
    }

    /** Neither may lie in the other, but for the temporary files, where nothing lies yet. */
    private static void requireApart(Mount workspace, List<Mount> others) {
        var path = Path.of(workspace.target());
        for (var other : others) {
            var place = Path.of(other.target());
            if (place.startsWith(path)
                    || (path.startsWith(place) && other.access() != Access.WRITE_EMPTY)) {
                throw ApiException.invalid(
                        "workingDirectory",
                        "must be another folder than %s, for sandboxes have %s of their own"
                                .formatted(path, place));
            }
        }
        for (var place : List.of("/proc", "/dev")) {
            if (path.startsWith(place)) {
                throw ApiException.invalid(
                        "workingDirectory", "must not lie in %s".formatted(place));
            }
        }
    }

    /** Of the launch that was noted last, or of the one to come. */
    Traces traces(SandboxId id, OptionalInt uid) {
        var group =
                LaunchRecord.read(launchRecord(id))
                        .map(noted -> Group.noted(id.value(), noted.groups()))
                        .orElseGet(() -> groups.of(id.value()));
        return new Traces(uid, layout.sandbox(id).resolve("info.json"), MARK + id, group);
    }

    /** What a server writes down about the latest launch. */
    Path launchRecord(SandboxId id) {
        return layout.sandbox(id).resolve("launch.json");
    }

    /** The slot first: whoever hears that the sandbox is gone may launch it again. */
    void cleanUp(SandboxId id, Slot slot, Runnable whenGone) {
        try {
            folders.deleteRun(id);
        } catch (IOException e) {
            LOG.log(Level.WARNING, "Temporary files of sandbox {0} remain: {1}", id, e);
        }
        folders.release(id);
        slot.free();
        try {
            whenGone.run();
        } catch (RuntimeException e) {
            LOG.log(Level.ERROR, "The end of sandbox " + id + " could not be noted", e);
        }
    }

    private static Places placesInside(SandboxSpec spec, Mount workspace, Reach reach) {
        var socket = "/tmp/" + DataLayout.socketName(spec.id());
        return new Places(
                "/home/agent",
                "/tmp",
                socket,
                "/opt/agent",
                workspace.target(),
                EGRESS + "/" + DataLayout.EGRESS_SOCKET,
                true,
                reach == Reach.NOTHING);
    }

    private Places placesOnHost(LocalSpec local, Mount workspace) {
        var id = local.spec().id();
        return new Places(
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
