package dev.ash.server.identity;

import dev.ash.protocol.TenantId;
import java.util.Set;

/** A caller authenticated by an API key. */
public record ApiKeyIdentity(TenantId tenant, String id, Set<Scope> scopes) implements Identity {
    public ApiKeyIdentity {
        scopes = Set.copyOf(scopes);
    }
}
