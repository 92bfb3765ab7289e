package dev.ash.protocol.rest;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Requests and responses of {@code /api/devices}. */
public interface DeviceApi {
    /**
     * A phone or browser that can access sessions within its scopes.
     *
     * @param paired false until the pairing token is used
     * @param expiresAt when the unused pairing token expires; null once the device is paired
     * @param scopes any of watch, approve and steer; absent from servers that grant all
     * @param tokenExpiresAt when the device must be paired again; null for never
     */
    record Device(
            String id,
            String name,
            @Nullable String platform,
            boolean paired,
            boolean connected,
            String createdAt,
            @Nullable String expiresAt,
            @Nullable String lastSeenAt,
            @FieldSchema(values = {"watch", "approve", "steer"}) @Nullable List<String> scopes,
            @Nullable String tokenExpiresAt) {}

    record Devices(List<Device> devices) {}

    /**
     * Starts the pairing of a device.
     *
     * @param scopes any of watch, approve and steer; approve and steer include watch; null for all
     * @param expiresInDays lifetime of the device token; null for no expiry
     * @param tokenExpiresAt alternatively its expiry time, such as 2030-01-31T00:00:00Z
     */
    record PairDevice(
            @Nullable String name,
            @FieldSchema(values = {"watch", "approve", "steer"}) @Nullable List<String> scopes,
            @Nullable Integer expiresInDays,
            @Nullable String tokenExpiresAt) {

        /** Returns a request with all scopes and a token that does not expire. */
        public static PairDevice named(@Nullable String name) {
            return new PairDevice(name, null, null, null);
        }
    }

    /**
     * The data that a device needs to pair, returned once. The text of its QR code is {@code url},
     * {@code token} and {@code fingerprint} as JSON.
     *
     * @param fingerprint SHA-256 of the gateway's certificate, in hex
     * @param reachable whether other machines can reach the gateway
     */
    record Pairing(
            String deviceId,
            String url,
            String token,
            String fingerprint,
            String expiresAt,
            boolean reachable,
            @FieldSchema(values = {"watch", "approve", "steer"}) @Nullable List<String> scopes,
            @Nullable String tokenExpiresAt) {}

    record PairingResponse(Pairing pairing) {}
}
