package dev.ash.sandbox;

import dev.ash.protocol.SandboxId;
import dev.ash.sandbox.LaunchSlots.Slot;
import dev.ash.sandbox.ProcessSandbox.LastWords;
import dev.ash.sandbox.Supervisor.Running;
import dev.ash.sandbox.launch.LaunchRecord;
import dev.ash.sandbox.launch.SandboxProcess;
import dev.ash.sandbox.launch.Traces;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Optional;

/** What a killed server left of its sandboxes: taken over if the bridge answers, ended if not. */
final class Adopter {
    private static final Logger LOG = System.getLogger(Adopter.class.getName());
    private static final Duration PATIENCE = Duration.ofSeconds(3);

    private final LaunchSite site;
    private final BridgeIdentity identity;
    private final Supervisor supervisor;

    Adopter(LaunchSite site, BridgeIdentity identity, Supervisor supervisor) {
        this.site = site;
        this.identity = identity;
        this.supervisor = supervisor;
    }

    private record Found(SandboxProcess process, LaunchRecord launch, Traces traces) {}

    /** The slot is freed when the sandbox has ended, or at once if there is none. */
    Optional<Sandbox> adopt(SandboxId id, String nonce, Slot slot, Runnable whenGone) {
        var found = find(id, slot, whenGone);
        if (found.isPresent()) {
            return connect(id, nonce, found.get());
        }
        try {
            endLeftovers(id);
        } finally {
            site.folders().release(id);
            slot.free();
        }
        return Optional.empty();
    }

    /** Ends what runs of it and removes what belongs to a run. */
    void endLeftovers(SandboxId id) {
        try {
            SandboxProcess.endLeftovers(site.traces(id, site.folders().heldUser(id)));
            site.folders().deleteRun(id);
        } catch (IOException e) {
            LOG.log(Level.WARNING, "Remains of sandbox {0} could not be removed: {1}", id, e);
        }
    }

    private Optional<Found> find(SandboxId id, Slot slot, Runnable whenGone) {
        try {
            site.folders().hold(id);
            var launch = LaunchRecord.read(site.launchRecord(id));
            var uid = site.folders().heldUser(id);
            if (launch.isEmpty() || !uid.equals(site.folders().owner(id))) {
                return Optional.empty(); // no record, or its user has become another's
            }
            var traces = site.traces(id, uid);
            return SandboxProcess.adopt(
                            launch.get(), traces, () -> site.cleanUp(id, slot, whenGone))
                    .filter(slot::started)
                    .map(process -> new Found(process, launch.get(), traces));
        } catch (IOException e) {
            LOG.log(Level.WARNING, "Sandbox {0} could not be looked at: {1}", id, e);
            return Optional.empty();
        }
    }

    private Optional<Sandbox> connect(SandboxId id, String nonce, Found found) {
        var process = found.process;
        try {
            var client = BridgeClient.connect(site.layout().socket(id), PATIENCE, process::alive);
            try {
                identity.require(client, id, nonce, found.traces.uid());
                identity.requireProcess(client, found.launch);
                process.verify(found.launch.bounds());
            } catch (IOException | RuntimeException e) {
                client.close();
                throw e;
            }
            var stderr = site.layout().logs(id).resolve("stderr.log");
            var lastWords = new LastWords(stderr, found.launch.stderrFrom());
            var group = found.traces.group();
            var running = new Running(id, nonce, process, lastWords, group, found.launch.bounds());
            return Optional.of(supervisor.watched(running, client));
        } catch (IOException e) {
            LOG.log(
                    Level.WARNING,
                    "Sandbox {0} was left running, but its bridge was not accepted, so it is ended: {1}",
                    id,
                    e.getMessage());
            process.kill();
            return Optional.empty();
        }
    }
}
