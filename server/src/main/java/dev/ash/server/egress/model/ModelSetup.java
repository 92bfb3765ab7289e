package dev.ash.server.egress.model;

import dev.ash.server.egress.model.request.RequestFormat;
import dev.ash.server.egress.model.request.RequestPolicy;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * The configuration of one sandbox's access to its model API.
 *
 * @param api the API that the engine of this sandbox calls
 * @param access evaluated for each call, so that a credential can be replaced while sandboxes run
 * @param providerTools the tools that the provider may run
 * @param strictRequests whether requests with unknown fields are rejected
 * @param budget admits calls and records their usage
 */
public record ModelSetup(
        ModelApi api,
        Supplier<Optional<ModelAccess>> access,
        List<String> providerTools,
        boolean strictRequests,
        CallBudget budget) {
    public ModelSetup {
        providerTools = List.copyOf(providerTools);
    }

    /** Returns the rules for requests in this format. */
    RequestPolicy requests(RequestFormat format) {
        return new RequestPolicy(format, providerTools, strictRequests);
    }
}
