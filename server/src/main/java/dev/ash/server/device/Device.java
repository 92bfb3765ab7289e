package dev.ash.server.device;

import dev.ash.protocol.TenantId;
import org.jspecify.annotations.Nullable;

/** A phone or browser that may steer the sessions of its tenant. */
public record Device(
        String id,
        TenantId tenant,
        String name,
        @Nullable String platform,
        long createdAt,
        @Nullable Long expiresAt,
        @Nullable Long pairedAt,
        @Nullable Long lastSeenAt,
        @Nullable Long acknowledgedAt) {

    public boolean isPaired() {
        return pairedAt != null;
    }
}
