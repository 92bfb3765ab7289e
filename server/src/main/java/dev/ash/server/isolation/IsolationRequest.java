package dev.ash.server.isolation;

import dev.ash.protocol.rest.ResourceLimits;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The isolation that a client or an agent requests; null fields request nothing.
 *
 * @param credentialId the stored credential for model calls
 * @param maxBudgetUsd the maximum cost of all model calls of the session
 * @param maxTokens the maximum number of tokens of all model calls
 * @param providerTools tools of the model's provider to use
 */
public record IsolationRequest(
        ResourceLimits limits,
        @Nullable NetworkRequest network,
        @Nullable String credentialId,
        @Nullable Double maxBudgetUsd,
        @Nullable Long maxTokens,
        @Nullable List<String> providerTools) {}
