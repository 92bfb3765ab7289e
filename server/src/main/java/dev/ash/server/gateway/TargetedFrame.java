package dev.ash.server.gateway;

import dev.ash.protocol.gateway.GatewayFrame;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A frame and its receivers: all devices, or those with ({@code only}) or without ({@code unless})
 * a capability.
 */
record TargetedFrame(GatewayFrame frame, @Nullable Capability only, @Nullable Capability unless) {
    boolean isFor(Set<Capability> capabilities) {
        return (only == null || capabilities.contains(only))
                && (unless == null || !capabilities.contains(unless));
    }
}
