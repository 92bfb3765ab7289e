package dev.ash.sandbox;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.sandbox.BridgeIdentity.UnexpectedPeerException;
import dev.ash.sandbox.LaunchSlots.Slot;
import dev.ash.sandbox.ProcessSandbox.ErrorOutput;
import dev.ash.sandbox.Supervisor.Running;
import dev.ash.sandbox.files.OutputFiles;
import dev.ash.sandbox.launch.Confinement;
import dev.ash.sandbox.launch.NoConfinement;
import dev.ash.sandbox.launch.SandboxProcess;
import dev.ash.sandbox.launch.Spawner;
import dev.ash.sandbox.limits.ResolvedLimits;
import dev.ash.sandbox.limits.Rlimits;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.time.Duration;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * Launches a sandbox: prepares its directories, starts the process, connects to the bridge, and
 * verifies its identity and limits.
 */
final class Launcher {
    private final SandboxConfig config;
    private final LaunchContext context;
    private final Confinement confinement;
    private final BridgeIdentity identity;
    private final Spawner spawner;
    private final Supervisor supervisor;

    Launcher(
            SandboxConfig config,
            LaunchContext context,
            Confinement confinement,
            Spawner spawner,
            Supervisor supervisor) {
        this.config = config;
        this.context = context;
        this.identity = BridgeIdentity.of(config, context);
        this.confinement = confinement;
        this.spawner = spawner;
        this.supervisor = supervisor;
    }

    /** Releases the slot when the sandbox exits, or immediately if the launch fails. */
    Sandbox launch(LocalSpec local, Slot slot, Runnable onExit) {
        var spec = local.spec();
        var timing = new LaunchTiming();
        Started started;
        try {
            started = start(local, slot, onExit, timing);
        } catch (IOException e) {
            boolean tooLarge = context.directories().isFull(spec.id());
            context.directories().release(spec.id());
            slot.release();
            if (tooLarge) {
                throw new ApiException(
                        ErrorCode.DISK_FULL,
                        ("The sandbox did not start: its files exceed its disk limit of %d MB."
                                        + " Raise limits.diskMb of the session or its agent")
                                .formatted(ResolvedLimits.of(spec.limits()).diskMb()),
                        e);
            }
            throw failure("The sandbox did not start: cannot create its files or its process", e);
        } catch (RuntimeException e) {
            context.directories().release(spec.id());
            slot.release();
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
                                + ": the disk of the data directory is full. Free some space and"
                                + " retry",
                        cause)
                : new ApiException(ErrorCode.SANDBOX_FAILED, what + ": " + cause, cause);
    }

    private record Started(Running running, OptionalInt uid) {}

    private Started start(LocalSpec local, Slot slot, Runnable onExit, LaunchTiming timing)
            throws IOException {
        var spec = local.spec();
        boolean exists = Files.exists(context.layout().sandbox(spec.id()));
        var limits = ResolvedLimits.of(spec.limits());
        context.directories().retain(spec.id(), limits.diskMb());
        timing.mark("diskMs");
        var project = local.project();
        // The owner of a project also runs other processes, so its uid does not mark the sandbox.
        var uid = project == null ? context.directories().claim(spec.id()) : OptionalInt.empty();
        if (exists) { // processes that a crashed server left would share its directories
            var left = context.markers(spec.id(), uid);
            SandboxProcess.killLeftovers(left);
            Files.deleteIfExists(left.info());
            Files.deleteIfExists(context.launchRecord(spec.id()));
        }
        var markers = context.markers(spec.id(), uid);
        timing.mark("claimMs");
        if (project == null) {
            context.directories().prepare(spec.id(), uid, local.agentDir());
        } else {
            context.directories().prepareForProject(spec.id(), project.owner());
        }
        timing.mark("agentCopyMs");
        context.etc(spec.network()).refresh();
        var logs = OutputFiles.prepare(context.layout().logs(spec.id()));
        var errorOutput = new ErrorOutput(logs.stderr(), Files.size(logs.stderr()));
        var command =
                confinement
                        .command(
                                context.launch(local, markers, confinement, config),
                                Redirect.appendTo(logs.stdout().toFile()),
                                Redirect.appendTo(logs.stderr().toFile()))
                        .withInput(spec.nonce());
        SandboxProcess process;
        try {
            markers.group().createForStart(limits);
            process =
                    SandboxProcess.start(
                            spawner,
                            command,
                            markers,
                            () -> context.cleanUp(spec.id(), slot, onExit));
        } catch (IOException e) {
            markers.group().destroy();
            throw e;
        }
        timing.mark("spawnMs");
        if (!slot.setProcess(process)) {
            process.kill();
            throw new ApiException(
                    ErrorCode.SANDBOX_FAILED, "The sandbox was terminated while it started.");
        }
        try {
            process.writeRecord(context.launchRecord(spec.id()), errorOutput.from(), limits);
        } catch (IOException e) {
            process.kill();
            throw e;
        }
        return new Started(
                new Running(spec.id(), spec.nonce(), process, errorOutput, markers.group(), limits),
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
                            context.layout().socket(spec.id()),
                            config.readyTimeout(),
                            process::isAlive);
            try {
                identity.verify(client, spec.id(), running.nonce(), started.uid());
                var peer = client.process();
                identity.verifyProcess(peer, process);
                process.writeRecord(
                        context.launchRecord(spec.id()),
                        running.errorOutput().from(),
                        running.limits(),
                        peer);
                running.group().limitProcessor(running.limits());
                process.verify(running.limits());
                process.verify(Rlimits.of(running.limits()));
                requireSameProject(local.project(), process);
            } catch (IOException | RuntimeException e) {
                client.close();
                throw e;
            }
            return supervisor.supervise(running, client);
        } catch (IOException e) {
            var reason = reason(process, deadline, e);
            process.kill();
            throw new ApiException(
                    ErrorCode.SANDBOX_FAILED,
                    "The sandbox did not start: its bridge %s. %s"
                            .formatted(reason, running.errorOutput().describe()),
                    e);
        }
    }

    private static OptionalInt uid(ProjectDirectory project) {
        return project.owner().map(user -> OptionalInt.of(user.uid())).orElse(OptionalInt.empty());
    }

    /** Verifies that the project was not replaced by a link between its check and its mount. */
    private void requireSameProject(@Nullable ProjectDirectory project, SandboxProcess process)
            throws IOException {
        if (project != null
                && !(confinement instanceof NoConfinement)
                && !process.hasFileAt(project.path(), project.key())) {
            process.kill();
            throw new ApiException(
                    ErrorCode.SANDBOX_FAILED,
                    "The sandbox was terminated: %s was replaced by another directory while it started. Retry."
                            .formatted(project.path()));
        }
    }

    private String reason(SandboxProcess process, long deadline, IOException failure) {
        if (failure instanceof MalformedJsonException
                || failure instanceof UnexpectedPeerException) {
            return "was rejected: " + failure.getMessage();
        }
        if (System.nanoTime() > deadline) {
            return "did not send ready within %d ms".formatted(config.readyTimeout().toMillis());
        }
        // A bridge that closes the connection is usually exiting; prefer its exit code as the
        // reason.
        return process.awaitGone(Duration.ofMillis(300))
                ? ProcessSandbox.describeExit(process.exitCode()) + " before it sent ready"
                : "could not be reached: " + failure.getMessage();
    }
}
