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
 * Verifies that the process that answers on a socket is the bridge of a launch. The agent can
 * replace the socket, but it does not know the nonce of the launch and runs in a different process.
 *
 * @param optional whether the bridge may omit its identity, as bridges of third parties do
 */
record BridgeIdentity(DataLayout layout, boolean optional) {
    static BridgeIdentity of(SandboxConfig config, LaunchContext context) {
        return new BridgeIdentity(context.layout(), !config.bridgeCommand().isEmpty());
    }

    /** Thrown if a process other than the bridge serves its socket. */
    static final class UnexpectedPeerException extends IOException {
        private static final long serialVersionUID = 1L;

        private UnexpectedPeerException(String message) {
            super(message);
        }
    }

    void verify(BridgeClient client, SandboxId id, String nonce, OptionalInt uid)
            throws IOException {
        var ready = client.ready();
        requireSame("sandboxId", ready.sandboxId(), id.value());
        requireSame("nonce", ready.nonce(), nonce);
        if (uid.isPresent() && !client.peer().equals(Files.getOwner(layout.run(id)))) {
            throw new UnexpectedPeerException(
                    "its socket is served by user " + client.peer().getName());
        }
    }

    /** Verifies that the peer is the process that listened when its launch was recorded. */
    void verifyProcess(BridgeClient client, LaunchRecord launch) throws IOException {
        if (launch.bridgePid() == 0) {
            return; // recorded by an older server, or by one that exited before it connected
        }
        var peer = client.process();
        if (peer.isEmpty() || !launch.isBridge(peer.getAsLong())) {
            throw new UnexpectedPeerException(
                    "its socket is served by process %s, not by its bridge, process %d"
                            .formatted(
                                    peer.isPresent() ? peer.getAsLong() : "(unknown)",
                                    launch.bridgePid()));
        }
    }

    /**
     * Verifies that the peer descends from this launch; third-party bridges may have daemonized.
     */
    void verifyProcess(OptionalLong peer, SandboxProcess process) throws IOException {
        if (!optional && peer.isPresent() && !process.isAncestorOf(peer.getAsLong())) {
            throw new UnexpectedPeerException(
                    "its socket is served by process %d, which this launch did not start"
                            .formatted(peer.getAsLong()));
        }
    }

    private void requireSame(String name, @Nullable String actual, String expected)
            throws UnexpectedPeerException {
        if (actual == null ? !optional : !actual.equals(expected)) {
            throw new UnexpectedPeerException(
                    "its ready event does not have the " + name + " of this launch");
        }
    }
}
