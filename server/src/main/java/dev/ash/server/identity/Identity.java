package dev.ash.server.identity;

import dev.ash.protocol.TenantId;
import java.util.Set;

/** Who makes a request. */
public sealed interface Identity permits ApiKeyIdentity, DeviceIdentity {
    TenantId tenant();

    /** The id of the API key or the device: what rate limits and logs refer to. */
    String id();

    /** Everything that the caller may do, included scopes too. */
    Set<Scope> scopes();

    default boolean may(Scope scope) {
        return scopes().contains(scope);
    }
}
