package dev.ash.sandbox;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.sandbox.BridgeIdentity.ImpostorException;
import dev.ash.sandbox.LaunchSlots.Slot;
import dev.ash.sandbox.ProcessSandbox.LastWords;
import dev.ash.sandbox.Supervisor.Running;
import dev.ash.sandbox.files.LogFiles;
import dev.ash.sandbox.launch.Confinement;
import dev.ash.sandbox.launch.PlainChild;
import dev.ash.sandbox.launch.SandboxProcess;
import dev.ash.sandbox.launch.Spawner;
import dev.ash.sandbox.limits.Bounds;
import dev.ash.sandbox.limits.Rlimits;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.time.Duration;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/** One launch, step by step: folders, process, connection, proof of identity. */
final class Launcher {
    private final SandboxConfig config;
    private final LaunchSite site;
    private final Confinement wall;
    private final BridgeIdentity identity;
    private final Spawner spawner;
    private final Supervisor supervisor;

    Launcher(
            SandboxConfig config,
            LaunchSite site,
            Confinement wall,
            Spawner spawner,
            Supervisor supervisor) {
        this.config = config;
        this.site = site;
        this.identity = BridgeIdentity.of(config, site);
        this.wall = wall;
        this.spawner = spawner;
        this.supervisor = supervisor;
    }

    /** The slot is freed when the sandbox has ended, or at once if none came to be. */
    Sandbox launch(LocalSpec local, Slot slot, Runnable whenGone) {
        var spec = local.spec();
        var timing = new Timing();
        Started started;
        try {
            started = start(local, slot, whenGone, timing);
        } catch (IOException e) {
            boolean tooLarge = site.folders().isFull(spec.id());
            site.folders().release(spec.id());
            slot.free();
            if (tooLarge) {
                throw new ApiException(
                        ErrorCode.DISK_FULL,
                        ("The sandbox did not start: its files take more than its %d MB of disk."
                                        + " Allow more by limits.diskMb of the session or its agent")
                                .formatted(Bounds.of(spec.limits()).diskMb()),
                        e);
            }
            throw failure(
                    "The sandbox did not start: its files or its process could not be made", e);
        } catch (RuntimeException e) {
            site.folders().release(spec.id());
            slot.free();
            throw e;
        }
        var sandbox = connect(local, started);
        timing.mark("connectMs");
        if (config.hostEnvironment().getOrDefault("ASH_DEBUG_TIMING", "").equals("1")) {
            timing.print(spec);
        }
        return sandbox;
    }

    static ApiException failure(String what, IOException cause) {
        boolean diskFull = String.valueOf(cause.getMessage()).contains("No space left on device");
        return diskFull
                ? new ApiException(
                        ErrorCode.DISK_FULL,
                        what
                                + ": the disk of the data directory is full. Free some space and try"
                                + " again",
                        cause)
                : new ApiException(ErrorCode.SANDBOX_FAILED, what + ": " + cause, cause);
    }

    private record Started(Running running, OptionalInt uid) {}

    private Started start(LocalSpec local, Slot slot, Runnable whenGone, Timing timing)
            throws IOException {
        var spec = local.spec();
        boolean known = Files.exists(site.layout().sandbox(spec.id()));
        var bounds = Bounds.of(spec.limits());
        site.folders().hold(spec.id(), bounds.diskMb());
        timing.mark("diskMs");
        var project = local.project();
        // The user of a project is a person, who runs other things too: it tells nothing apart.
        var uid = project == null ? site.folders().claim(spec.id()) : OptionalInt.empty();
        if (known) { // what a crashed server left of it would share its folders
            var left = site.traces(spec.id(), uid);
            SandboxProcess.endLeftovers(left);
            Files.deleteIfExists(left.info());
            Files.deleteIfExists(site.launchRecord(spec.id()));
        }
        var traces = site.traces(spec.id(), uid);
        timing.mark("claimMs");
        if (project == null) {
            site.folders().prepare(spec.id(), uid, local.agentDir());
        } else {
            site.folders().prepareWithout(spec.id(), project.owner());
        }
        timing.mark("agentCopyMs");
        site.etc(spec.network()).refresh();
        var logs = LogFiles.prepare(site.layout().logs(spec.id()));
        var lastWords = new LastWords(logs.stderr(), Files.size(logs.stderr()));
        var command =
                wall.command(
                                site.launch(local, traces, wall, config),
                                Redirect.appendTo(logs.stdout().toFile()),
                                Redirect.appendTo(logs.stderr().toFile()))
                        .withInput(spec.nonce());
        SandboxProcess process;
        try {
            traces.group().make(bounds);
            process =
                    SandboxProcess.start(
                            spawner,
                            command,
                            traces,
                            () -> site.cleanUp(spec.id(), slot, whenGone));
        } catch (IOException e) {
            traces.group().end();
            throw e;
        }
        timing.mark("spawnMs");
        if (!slot.started(process)) {
            process.kill();
            throw new ApiException(
                    ErrorCode.SANDBOX_FAILED, "The sandbox was ended while it started.");
        }
        try {
            process.record(site.launchRecord(spec.id()), lastWords.from(), bounds);
        } catch (IOException e) {
            process.kill();
            throw e;
        }
        return new Started(
                new Running(spec.id(), spec.nonce(), process, lastWords, traces.group(), bounds),
                project == null ? uid : uid(project));
    }

    private Sandbox connect(LocalSpec local, Started started) {
        var spec = local.spec();
        var running = started.running();
        var process = running.process();
        long deadline = System.nanoTime() + config.readyTimeout().toNanos();
        try {
            var client =
                    BridgeClient.connect(
                            site.layout().socket(spec.id()), config.readyTimeout(), process::alive);
            try {
                identity.require(client, spec.id(), running.nonce(), started.uid());
                var peer = client.process();
                identity.requireProcess(peer, process);
                process.record(
                        site.launchRecord(spec.id()),
                        running.lastWords().from(),
                        running.bounds(),
                        peer);
                process.verify(running.bounds());
                process.verify(Rlimits.of(running.bounds()));
                requireSame(local.project(), process);
            } catch (IOException | RuntimeException e) {
                client.close();
                throw e;
            }
            return supervisor.watched(running, client);
        } catch (IOException e) {
            var reason = reason(process, deadline, e);
            process.kill();
            throw new ApiException(
                    ErrorCode.SANDBOX_FAILED,
                    "The sandbox did not start: its bridge %s. %s"
                            .formatted(reason, running.lastWords().sentence()),
                    e);
        }
    }

    private static OptionalInt uid(ProjectFolder project) {
        return project.owner().map(user -> OptionalInt.of(user.uid())).orElse(OptionalInt.empty());
    }

    /** A link in its way, set after it was looked at, would have shown the sandbox another. */
    private void requireSame(@Nullable ProjectFolder project, SandboxProcess process)
            throws IOException {
        if (project != null
                && !(wall instanceof PlainChild)
                && !process.sees(project.path(), project.key())) {
            process.kill();
            throw new ApiException(
                    ErrorCode.SANDBOX_FAILED,
                    "The sandbox was ended: %s became another folder while it started. Try again."
                            .formatted(project.path()));
        }
    }

    private String reason(SandboxProcess process, long deadline, IOException failure) {
        if (failure instanceof MalformedJsonException || failure instanceof ImpostorException) {
            return "was not accepted: " + failure.getMessage();
        }
        if (System.nanoTime() > deadline) {
            return "did not say ready within %d ms".formatted(config.readyTimeout().toMillis());
        }
        // One that hangs up is usually about to end; how it ended says more than that it hung up.
        return process.awaitGone(Duration.ofMillis(300))
                ? ProcessSandbox.ending(process.exitCode()) + " before it said ready"
                : "was not reached: " + failure.getMessage();
    }
}
