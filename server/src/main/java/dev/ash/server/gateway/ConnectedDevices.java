package dev.ash.server.gateway;

import dev.ash.protocol.SessionId;
import dev.ash.protocol.TenantId;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The desks of all devices that are connected. */
final class ConnectedDevices {
    private final Set<DeviceDesk> desks = ConcurrentHashMap.newKeySet();

    void add(DeviceDesk desk) {
        desks.add(desk);
    }

    void remove(DeviceDesk desk) {
        desks.remove(desk);
    }

    List<DeviceDesk> of(TenantId tenant) {
        return desks.stream().filter(desk -> desk.device().tenant().equals(tenant)).toList();
    }

    List<DeviceDesk> of(String deviceId) {
        return desks.stream().filter(desk -> desk.device().id().equals(deviceId)).toList();
    }

    /** Whether this device sees for itself what happens in this session. */
    boolean follows(String deviceId, SessionId session) {
        return of(deviceId).stream().anyMatch(desk -> desk.follows(session));
    }
}
