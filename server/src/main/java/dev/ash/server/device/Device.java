package dev.ash.server.device;

import dev.ash.protocol.TenantId;
import dev.ash.server.identity.DeviceIdentity;
import dev.ash.server.identity.Scope;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A phone or browser that is authorized by its scopes to access the sessions of its tenant.
 *
 * @param expiresAt expiry of its unused pairing token; null once it is paired
 * @param acknowledgedAt when its user acknowledged the warning about a public connection
 * @param tokenExpiresAt expiry of the device token; null if it does not expire
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

    /** Returns whether the device token or the unused pairing token has expired. */
    boolean isExpired(long now) {
        return (tokenExpiresAt != null && tokenExpiresAt <= now)
                || (expiresAt != null && expiresAt < now);
    }
}
