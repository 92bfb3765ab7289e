package dev.ash.server.egress;

import dev.ash.server.egress.model.ModelSetup;
import dev.ash.server.egress.policy.EgressPolicy;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * The configuration of one sandbox's proxy.
 *
 * @param folder holds the socket; the sandbox sees it, and cannot write there
 * @param policy requested by the session and its agent; the proxy adds the operator's hosts
 * @param model how the sandbox calls its model
 * @param tools of the server itself that the sandbox may call; read for each call
 */
public record EgressSetup(
        Path folder,
        EgressPolicy policy,
        ModelSetup model,
        Supplier<Optional<LocalTools>> tools,
        EgressListener listener) {
    /** The path of the tools on the port of the proxy. */
    public static final String TOOLS = "/.ash/mailbox";
}
