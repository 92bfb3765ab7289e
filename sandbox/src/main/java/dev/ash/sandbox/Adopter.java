package dev.ash.sandbox;

import dev.ash.protocol.SandboxId;
import dev.ash.sandbox.LaunchSlots.Slot;
import dev.ash.sandbox.ProcessSandbox.ErrorOutput;
import dev.ash.sandbox.Supervisor.Running;
import dev.ash.sandbox.launch.LaunchRecord;
import dev.ash.sandbox.launch.ProcessMarkers;
import dev.ash.sandbox.launch.SandboxProcess;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Optional;

/**
 * Adopts or terminates sandboxes that a killed server left running: a sandbox is adopted if its
 * bridge answers and identifies itself, and terminated otherwise.
 */
final class Adopter {
    private static final Logger LOG = System.getLogger(Adopter.class.getName());
    private static final Duration TIMEOUT = Duration.ofSeconds(3);

    private final LaunchContext context;
    private final BridgeIdentity identity;
    private final Supervisor supervisor;

    Adopter(LaunchContext context, BridgeIdentity identity, Supervisor supervisor) {
        this.context = context;
        this.identity = identity;
        this.supervisor = supervisor;
    }

    private record Found(SandboxProcess process, LaunchRecord launch, ProcessMarkers markers) {}

    /** Releases the slot when the adopted sandbox exits, or immediately if it cannot be adopted. */
    Optional<Sandbox> adopt(SandboxId id, String nonce, Slot slot, Runnable onExit) {
        var found = find(id, slot, onExit);
        if (found.isPresent()) {
            return connect(id, nonce, found.get());
        }
        try {
            killLeftovers(id);
        } finally {
            context.directories().release(id);
            slot.release();
        }
        return Optional.empty();
    }

    /** Kills the remaining processes of a sandbox and deletes the files of its last run. */
    void killLeftovers(SandboxId id) {
        try {
            SandboxProcess.killLeftovers(context.markers(id, context.directories().claimedUid(id)));
            context.directories().deleteRun(id);
        } catch (IOException e) {
            LOG.log(Level.WARNING, "Cannot remove the leftovers of sandbox {0}: {1}", id, e);
        }
    }

    private Optional<Found> find(SandboxId id, Slot slot, Runnable onExit) {
        try {
            context.directories().retain(id);
            var launch = LaunchRecord.read(context.launchRecord(id));
            var uid = context.directories().claimedUid(id);
            if (launch.isEmpty() || !uid.equals(context.directories().owner(id))) {
                return Optional.empty(); // no record, or its uid now belongs to another sandbox
            }
            var markers = context.markers(id, uid);
            return SandboxProcess.adopt(
                            launch.get(), markers, () -> context.cleanUp(id, slot, onExit))
                    .filter(slot::setProcess)
                    .map(process -> new Found(process, launch.get(), markers));
        } catch (IOException e) {
            LOG.log(Level.WARNING, "Cannot check whether sandbox {0} still runs: {1}", id, e);
            return Optional.empty();
        }
    }

    private Optional<Sandbox> connect(SandboxId id, String nonce, Found found) {
        var process = found.process;
        try {
            var client =
                    BridgeClient.connect(context.layout().socket(id), TIMEOUT, process::isAlive);
            try {
                identity.verify(client, id, nonce, found.markers.uid());
                identity.verifyProcess(client, found.launch);
                process.verify(found.launch.limits());
            } catch (IOException | RuntimeException e) {
                client.close();
                throw e;
            }
            var stderr = context.layout().logs(id).resolve("stderr.log");
            var errorOutput = new ErrorOutput(stderr, found.launch.stderrFrom());
            var group = found.markers.group();
            var running =
                    new Running(id, nonce, process, errorOutput, group, found.launch.limits());
            return Optional.of(supervisor.supervise(running, client));
        } catch (IOException e) {
            LOG.log(
                    Level.WARNING,
                    "Terminating sandbox {0} of an earlier server, as its bridge was rejected: {1}",
                    id,
                    e.getMessage());
            process.kill();
            return Optional.empty();
        }
    }
}
