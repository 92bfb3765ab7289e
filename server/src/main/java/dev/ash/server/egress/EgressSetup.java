package dev.ash.server.egress;

import dev.ash.server.egress.model.ModelSetup;
import dev.ash.server.egress.policy.EgressPolicy;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * The configuration of one sandbox's proxy.
 *
 * @param directory contains the socket; visible in the sandbox, but not writable there
 * @param policy the hosts requested by the session and its agent; the proxy adds the operator's
 * @param model access of the sandbox to its model API
 * @param tools tools of the server that the sandbox may call; evaluated for each call
 */
public record EgressSetup(
        Path directory,
        EgressPolicy policy,
        ModelSetup model,
        Supplier<Optional<LocalTools>> tools,
        EgressListener listener) {
    /** The path of the tools on the proxy's port. */
    public static final String TOOLS_PATH = "/.ash/mailbox";
}
