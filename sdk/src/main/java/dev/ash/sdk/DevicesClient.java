package dev.ash.sdk;

import dev.ash.protocol.rest.DeviceApi;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Client for the {@code /api/devices} endpoints. A pairing token is returned once, can be used
 * once, and expires after a few minutes.
 */
public final class DevicesClient {
    private record Empty() {}

    private final RestClient rest;

    DevicesClient(RestClient rest) {
        this.rest = rest;
    }

    /** Creates a device that waits for its token to be used; a null name lets the server choose. */
    public DeviceApi.Pairing pair(@Nullable String name) {
        return pairDevice(DeviceApi.PairDevice.named(name));
    }

    /** Like {@link #pair}, with scopes or an expiry of the device's token. */
    public DeviceApi.Pairing pairDevice(DeviceApi.PairDevice request) {
        return rest.post(devices(), request, DeviceApi.PairingResponse.class).pairing();
    }

    /** Lists paired and waiting devices. */
    public List<DeviceApi.Device> list() {
        return rest.get(devices(), DeviceApi.Devices.class).devices();
    }

    /** Revokes the device's token and closes its connections immediately. */
    public void revoke(String id) {
        rest.delete(devices().segment(id), Empty.class);
    }

    private static ApiPath devices() {
        return ApiPath.of("/api/devices");
    }
}
