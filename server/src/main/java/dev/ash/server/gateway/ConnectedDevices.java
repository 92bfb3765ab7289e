package dev.ash.server.gateway;

import dev.ash.protocol.SessionId;
import dev.ash.protocol.TenantId;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The open channels of all connected devices. */
final class ConnectedDevices {
    private final Set<DeviceChannel> channels = ConcurrentHashMap.newKeySet();

    void add(DeviceChannel channel) {
        channels.add(channel);
    }

    void remove(DeviceChannel channel) {
        channels.remove(channel);
    }

    List<DeviceChannel> of(TenantId tenant) {
        return channels.stream()
                .filter(channel -> channel.device().tenant().equals(tenant))
                .toList();
    }

    List<DeviceChannel> of(String deviceId) {
        return channels.stream().filter(channel -> channel.device().id().equals(deviceId)).toList();
    }

    /** Returns whether a connection of this device is subscribed to this session. */
    boolean follows(String deviceId, SessionId session) {
        return of(deviceId).stream().anyMatch(channel -> channel.follows(session));
    }
}
