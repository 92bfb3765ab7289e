package dev.ash.protocol.rest;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Requests and answers below {@code /api/devices}. */
public interface DeviceApi {
    /**
     * A phone or browser that may see sessions, and do there what its scopes say.
     *
     * @param paired false while its pairing token waits to be used
     * @param expiresAt when its pairing token ends unused; null once it is paired
     * @param scopes of watch, approve and steer; a server that does not send it grants all
     * @param tokenExpiresAt when the device has to be paired again; null for never
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
     * A device to pair.
     *
     * @param scopes of watch, approve and steer; approve and steer include watch; null for all
     * @param expiresInDays how long its token works; null for ever
     * @param tokenExpiresAt the same as a time, like 2030-01-31T00:00:00Z; not both
     */
    record PairDevice(
            @Nullable String name,
            @FieldSchema(values = {"watch", "approve", "steer"}) @Nullable List<String> scopes,
            @Nullable Integer expiresInDays,
            @Nullable String tokenExpiresAt) {

        /** With all scopes, and a token that does not expire. */
        public static PairDevice named(@Nullable String name) {
            return new PairDevice(name, null, null, null);
        }
    }

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
            boolean reachable,
            @FieldSchema(values = {"watch", "approve", "steer"}) @Nullable List<String> scopes,
            @Nullable String tokenExpiresAt) {}

    record PairingAnswer(Pairing pairing) {}
}
