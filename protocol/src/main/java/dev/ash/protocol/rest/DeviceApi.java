package dev.ash.protocol.rest;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Requests and answers below {@code /api/devices}. */
public interface DeviceApi {
    /**
     * A phone or browser that may steer sessions.
     *
     * @param paired false while its pairing token waits to be used
     */
    record Device(
            String id,
            String name,
            @Nullable String platform,
            boolean paired,
            boolean connected,
            String createdAt,
            @Nullable String expiresAt,
            @Nullable String lastSeenAt) {}

    record Devices(List<Device> devices) {}

    record PairDevice(@Nullable String name) {}

    /**
     * What a device is shown, once; the text of its QR code is {@code url}, {@code token} and
     * {@code fingerprint} as JSON.
     *
     * @param fingerprint SHA-256 of the gateway's certificate, in hex
     * @param reachable whether other machines can reach the gateway at all
     */
    record Pairing(
            String deviceId,
            String url,
            String token,
            String fingerprint,
            String expiresAt,
            boolean reachable) {}

    record PairingAnswer(Pairing pairing) {}
}
