package dev.ash.sandbox;

import dev.ash.protocol.SandboxId;
import dev.ash.sandbox.files.DataLayout;
import dev.ash.sandbox.launch.LaunchRecord;
import dev.ash.sandbox.launch.SandboxProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Whether the one who answers on a socket is the bridge of a launch. The agent can replace the
 * socket by another, but does not know the nonce of the launch, and is another process.
 *
 * @param optional whether the bridge may keep silent about who it is, as those of others do
 */
record BridgeIdentity(DataLayout layout, boolean optional) {
    static BridgeIdentity of(SandboxConfig config, LaunchSite site) {
        return new BridgeIdentity(site.layout(), !config.bridgeCommand().isEmpty());
    }

    /** Somebody listens where the bridge should, and is not it. */
    static final class ImpostorException extends IOException {
        private static final long serialVersionUID = 1L;

        private ImpostorException(String message) {
            super(message);
        }
    }

    void require(BridgeClient client, SandboxId id, String nonce, OptionalInt uid)
            throws IOException {
        var ready = client.ready();
        requireSame("sandboxId", ready.sandboxId(), id.value());
        requireSame("nonce", ready.nonce(), nonce);
        if (uid.isPresent() && !client.peer().equals(Files.getOwner(layout.run(id)))) {
            throw new ImpostorException("its socket is served by user " + client.peer().getName());
        }
    }

    /** That it is the process that listened when its launch was recorded. */
    void requireProcess(BridgeClient client, LaunchRecord launch) throws IOException {
        if (launch.bridgePid() == 0) {
            return; // recorded by an older server, or by one that ended before it connected
        }
        var peer = client.process();
        if (peer.isEmpty() || !launch.isBridge(peer.getAsLong())) {
            throw new ImpostorException(
                    "its socket is served by process %s, not by its bridge, process %d"
                            .formatted(
                                    peer.isPresent() ? peer.getAsLong() : "(unknown)",
                                    launch.bridgePid()));
        }
    }

    /** That it is a process of this launch; one of another program may have left its parents. */
    void requireProcess(OptionalLong peer, SandboxProcess process) throws IOException {
        if (!optional && peer.isPresent() && !process.isAncestorOf(peer.getAsLong())) {
            throw new ImpostorException(
                    "its socket is served by process %d, which this launch did not start"
                            .formatted(peer.getAsLong()));
        }
    }

    private void requireSame(String name, @Nullable String said, String expected)
            throws ImpostorException {
        if (said == null ? !optional : !said.equals(expected)) {
            throw new ImpostorException(
                    "its ready has another " + name + " than this launch was given");
        }
    }
}
