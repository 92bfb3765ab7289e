package dev.ash.server.egress;

import dev.ash.server.egress.request.RequestPolicy;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * What the proxy of one sandbox needs to know.
 *
 * @param folder holds the socket; the sandbox sees it, and cannot write there
 * @param policy what the session and its agent ask for; the proxy adds the operator's hosts
 * @param api which API the engine of this sandbox calls
 * @param model asked for each call, so that a credential can be replaced while sandboxes run
 * @param requests what its calls to the model may contain
 * @param budget admits its calls to the model and records what they used
 * @param tools what it may call of the server itself; asked for each call too
 */
public record EgressSetup(
        Path folder,
        EgressPolicy policy,
        ModelApi api,
        Supplier<Optional<ModelAccess>> model,
        RequestPolicy requests,
        CallBudget budget,
        Supplier<Optional<LocalTools>> tools,
        EgressListener listener) {
    /** Where the tools are, on the port of the proxy. */
    public static final String TOOLS = "/.ash/mailbox";
}
