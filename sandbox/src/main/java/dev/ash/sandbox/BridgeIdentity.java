package dev.ash.sandbox;

import dev.ash.protocol.SandboxId;
import dev.ash.sandbox.files.DataLayout;
import java.io.IOException;
import java.nio.file.Files;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * Whether the one who answers on a socket is the bridge of a launch. The agent can replace the
 * socket by another, but not know what the launch was told.
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

    private void requireSame(String name, @Nullable String said, String expected)
            throws ImpostorException {
        if (said == null ? !optional : !said.equals(expected)) {
            throw new ImpostorException(
                    "its ready has another " + name + " than this launch was given");
        }
    }
}
