package dev.ash.server.isolation;

import dev.ash.protocol.rest.ResourceLimits;
import dev.ash.sandbox.Network;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The resources, network access and budget of one session, decided when it is created. Only the
 * budget can change later. Stored as JSON in the column {@code wall}.
 *
 * @param allow hosts requested by the session and its agent; in rows of earlier versions also the
 *     operator's hosts
 * @param readOnly whether the session cannot change its working directory
 * @param providerTools tools that the model's provider may run for the session; null for sessions
 *     created before this field existed, which use the agent's files instead
 */
public record IsolationPolicy(
        ResourceLimits limits,
        List<String> allow,
        boolean open,
        @Nullable String credentialId,
        @Nullable Double maxBudgetUsd,
        @Nullable Long maxTokens,
        boolean readOnly,
        @Nullable List<String> providerTools) {

    /** For sessions that were created before policies were stored. */
    public static final IsolationPolicy DEFAULT =
            new IsolationPolicy(
                    ResourceLimits.DEFAULT, List.of(), false, null, null, null, false, null);

    public IsolationPolicy {
        allow = List.copyOf(allow);
        providerTools = providerTools == null ? null : List.copyOf(providerTools);
    }

    public IsolationPolicy withReadOnly(boolean value) {
        return new IsolationPolicy(
                limits, allow, open, credentialId, maxBudgetUsd, maxTokens, value, providerTools);
    }

    /** Replaces the budget; null keeps a value. */
    public IsolationPolicy withBudget(@Nullable Double usd, @Nullable Long tokens) {
        return new IsolationPolicy(
                limits,
                allow,
                open,
                credentialId,
                usd == null ? maxBudgetUsd : usd,
                tokens == null ? maxTokens : tokens,
                readOnly,
                providerTools);
    }

    public Network network() {
        return open ? Network.OPEN : Network.CLOSED;
    }
}
