package dev.ash.server.isolation;

import dev.ash.protocol.rest.ResourceLimits;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The isolation that a client or an agent requests; null where it requests nothing.
 *
 * @param credentialId which stored key of a model provider to use
 * @param maxBudgetUsd what all calls of the session to the model may cost
 * @param maxTokens how many tokens all of them may use
 * @param providerTools which tools of the model's provider to use
 */
public record IsolationRequest(
        ResourceLimits limits,
        @Nullable NetworkRequest network,
        @Nullable String credentialId,
        @Nullable Double maxBudgetUsd,
        @Nullable Long maxTokens,
        @Nullable List<String> providerTools) {}
