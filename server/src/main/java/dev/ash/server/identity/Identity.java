package dev.ash.server.identity;

import dev.ash.protocol.TenantId;
import java.util.Set;

/** The authenticated caller of a request. */
public sealed interface Identity permits ApiKeyIdentity, DeviceIdentity {
    TenantId tenant();

    /** Returns the id of the API key or device, for rate limits and logs. */
    String id();

    /** Returns all scopes of the caller, including implied ones. */
    Set<Scope> scopes();

    default boolean has(Scope scope) {
        return scopes().contains(scope);
    }
}
