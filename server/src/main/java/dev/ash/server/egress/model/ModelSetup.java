package dev.ash.server.egress.model;

import dev.ash.server.egress.model.request.RequestPolicy;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * The configuration of one sandbox's access to its model API.
 *
 * @param api the API that the engine of this sandbox calls
 * @param access evaluated for each call, so that a credential can be replaced while sandboxes run
 * @param requests restricts the content of requests
 * @param budget admits calls and records their usage
 */
public record ModelSetup(
        ModelApi api,
        Supplier<Optional<ModelAccess>> access,
        RequestPolicy requests,
        CallBudget budget) {}
