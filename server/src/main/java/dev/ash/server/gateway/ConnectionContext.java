package dev.ash.server.gateway;

import dev.ash.protocol.json.JsonWriter;
import dev.ash.server.device.Device;
import dev.ash.server.device.Devices;
import dev.ash.server.identity.Authenticator;
import java.time.Clock;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What all connections share. */
record ConnectionContext(
        Authenticator authenticator,
        Devices devices,
        FailedAttempts failures,
        ServerInfo server,
        Channels channels,
        boolean admitsPublic,
        Clock clock) {

    /** Counts wrong tokens by address. */
    interface FailedAttempts {
        boolean tooMany(String address);

        void failed(String address);
    }

    /** Describes this server to devices. */
    interface ServerInfo {
        JsonWriter addTo(JsonWriter payload, Device device);

        /** The address of a page that explains how to connect; null if there is none. */
        default @Nullable String documentation() {
            return null;
        }
    }

    /** Opens the channels of admitted devices. */
    interface Channels {
        Channel open(Device device, DeviceLink link, Set<Capability> capabilities);
    }
}
