package dev.ash.sdk;

import dev.ash.protocol.rest.DeviceApi;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The calls below {@code /api/devices}. A pairing token is shown once, works once, and ends unused
 * after some minutes.
 */
public final class DevicesClient {
    private record Nothing() {}

    private final Calls calls;

    DevicesClient(Calls calls) {
        this.calls = calls;
    }

    /** Makes a device that waits for the first use of its token; the server can name it. */
    public DeviceApi.Pairing pair(@Nullable String name) {
        return pairDevice(DeviceApi.PairDevice.named(name));
    }

    /** The same, with scopes or an expiry of the device's token. */
    public DeviceApi.Pairing pairDevice(DeviceApi.PairDevice request) {
        return calls.post(devices(), request, DeviceApi.PairingResponse.class).pairing();
    }

    /** Those that are paired and those that wait. */
    public List<DeviceApi.Device> list() {
        return calls.get(devices(), DeviceApi.Devices.class).devices();
    }

    /** Ends its connections at once, and its token for good. */
    public void revoke(String id) {
        calls.delete(devices().segment(id), Nothing.class);
    }

    private static Target devices() {
        return Target.of("/api/devices");
    }
}
