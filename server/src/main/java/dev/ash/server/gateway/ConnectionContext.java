package dev.ash.server.gateway;

import dev.ash.protocol.json.JsonWriter;
import dev.ash.server.device.Device;
import dev.ash.server.device.Devices;
import dev.ash.server.identity.Authenticator;
import java.time.Clock;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The services and settings that all connections share. */
record ConnectionContext(
        Authenticator authenticator,
        Devices devices,
        AuthFailures authFailures,
        ServerInfo server,
        Channels channels,
        boolean admitsPublic,
        Clock clock) {

    /** Counts failed authentications by address. */
    interface AuthFailures {
        boolean isBlocked(String address);

        void recordFailure(String address);
    }

    /** Describes this server to devices. */
    interface ServerInfo {
        JsonWriter addTo(JsonWriter payload, Device device);

        /** Returns the URL of a page that explains how to connect; null if there is none. */
        default @Nullable String documentation() {
            return null;
        }
    }

    /** Opens the channels of admitted devices. */
    interface Channels {
        Channel open(Device device, DeviceLink link, Set<Capability> capabilities);
    }
}
