package dev.ash.server.isolation;

import dev.ash.protocol.rest.ResourceLimits;
import dev.ash.sandbox.Network;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The resources, network access and budget of one session, decided when it is created. Only the
 * budget can change later. Stored as JSON in the column {@code wall}.
 *
 * @param allow hosts that the session and its agent request; in rows of earlier versions also the
 *     operator's hosts of that time
 * @param readOnly whether it can only read where it works
 * @param providerTools tools that the model's provider may run for it; null for a session that was
 *     created before this was decided, whose agent's files then decide
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

    public IsolationPolicy withReadOnly(boolean wanted) {
        return new IsolationPolicy(
                limits, allow, open, credentialId, maxBudgetUsd, maxTokens, wanted, providerTools);
    }

    /** Keeps the values that are absent. */
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
