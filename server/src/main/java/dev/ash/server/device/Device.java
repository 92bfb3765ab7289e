package dev.ash.server.device;

import dev.ash.protocol.TenantId;
import dev.ash.server.identity.DeviceIdentity;
import dev.ash.server.identity.Scope;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A phone or browser that may see the sessions of its tenant, and do there what its scopes say.
 *
 * @param expiresAt when its pairing token ends unused; null once it is paired
 * @param tokenExpiresAt when its own token ends; null if it does not
 */
public record Device(
        String id,
        TenantId tenant,
        String name,
        @Nullable String platform,
        long createdAt,
        @Nullable Long expiresAt,
        @Nullable Long pairedAt,
        @Nullable Long lastSeenAt,
        @Nullable Long acknowledgedAt,
        Set<Scope> scopes,
        @Nullable Long tokenExpiresAt) {

    public Device {
        scopes = Set.copyOf(scopes);
    }

    public boolean isPaired() {
        return pairedAt != null;
    }

    public DeviceIdentity identity() {
        return new DeviceIdentity(tenant, id, scopes);
    }

    /** Whether its token has expired: its own, or one that nobody used for pairing in time. */
    boolean isExpired(long now) {
        return (tokenExpiresAt != null && tokenExpiresAt <= now)
                || (expiresAt != null && expiresAt < now);
    }
}
