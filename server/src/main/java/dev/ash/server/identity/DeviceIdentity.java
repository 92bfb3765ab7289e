package dev.ash.server.identity;

import dev.ash.protocol.TenantId;
import java.util.Set;

/** A paired phone or browser, authenticated by its token. */
public record DeviceIdentity(TenantId tenant, String id, Set<Scope> scopes) implements Identity {
    public DeviceIdentity {
        scopes = Set.copyOf(scopes);
    }
}
