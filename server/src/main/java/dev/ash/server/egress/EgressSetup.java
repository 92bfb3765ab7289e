package dev.ash.server.egress;

import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * What the proxy of one sandbox needs to know.
 *
 * @param folder holds the socket; the sandbox sees it, and cannot write there
 * @param api which API the engine of this sandbox calls
 * @param model asked for each call, so that a credential can be replaced while sandboxes run
 */
public record EgressSetup(
        Path folder,
        EgressPolicy policy,
        ModelApi api,
        Supplier<Optional<ModelAccess>> model,
        EgressListener listener) {}
