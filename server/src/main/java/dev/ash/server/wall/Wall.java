package dev.ash.server.wall;

import dev.ash.protocol.rest.ResourceLimits;
import dev.ash.sandbox.Network;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The wall of one session, decided when it is created. Only what it may spend can change later.
 *
 * @param allow hosts that the session and its agent ask for; in rows of earlier versions also the
 *     operator's hosts of that time
 * @param readOnly whether it can only read where it works
 * @param providerTools tools that the model's provider may run for it; null for a session that was
 *     created before this was decided, whose agent's files then decide
 */
public record Wall(
        ResourceLimits limits,
        List<String> allow,
        boolean open,
        @Nullable String credentialId,
        @Nullable Double maxBudgetUsd,
        @Nullable Long maxTokens,
        boolean readOnly,
        @Nullable List<String> providerTools) {

    /** Of sessions that were created before there was one. */
    public static final Wall DEFAULT =
            new Wall(ResourceLimits.DEFAULT, List.of(), false, null, null, null, false, null);

    public Wall {
        allow = List.copyOf(allow);
        providerTools = providerTools == null ? null : List.copyOf(providerTools);
    }

    public Wall withReadOnly(boolean wanted) {
        return new Wall(
                limits, allow, open, credentialId, maxBudgetUsd, maxTokens, wanted, providerTools);
    }

    /** What is absent stays as it is. */
    public Wall withBudget(@Nullable Double usd, @Nullable Long tokens) {
        return new Wall(
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
