package dev.ash.server.device;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.TenantId;
import dev.ash.server.identity.Identity;
import dev.ash.server.identity.IdentitySource;
import dev.ash.server.identity.OpenCalls;
import dev.ash.server.identity.Scope;
import dev.ash.server.store.Database;
import dev.ash.server.store.Storage;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Pairs, authenticates, lists and revokes devices. A user creates a pairing token and shows it to a
 * device; its first use pairs that device. The device then keeps this token, or receives a new one
 * that was never displayed.
 */
public final class Devices implements IdentitySource {
    static final Duration PAIRING_TIMEOUT = Duration.ofMinutes(10);
    static final Duration ACKNOWLEDGMENT_VALIDITY = Duration.ofHours(8);
    private static final int MAX_NAME = 255;

    private final DeviceStore store;
    private final SentRequestStore requests;
    private final DeviceTokens tokens;
    private final Clock clock;
    private final Map<String, Long> skewAcknowledgedAt = new ConcurrentHashMap<>(); // by device id
    private final OpenCalls openCalls =
            new OpenCalls(this::findValid, "The device token has expired or was revoked");
    private volatile boolean anyKnown;

    public Devices(Storage storage) {
        this(storage.database(), storage.random(), storage.clock());
    }

    public Devices(Database database, SecureRandom random, Clock clock) {
        this.store = new DeviceStore(database);
        this.requests = new SentRequestStore(database);
        this.tokens = new DeviceTokens(random);
        this.clock = clock;
        this.anyKnown = store.isAny();
    }

    /** An unpaired device and its pairing token, which is shown only once. */
    public record Pairing(Device device, String token) {}

    /** A connecting device, and the token that replaces its current one; null to keep it. */
    public record AuthenticatedDevice(Device device, @Nullable String newToken) {}

    /** Returns the store of requests that a device may repeat after a disconnect. */
    public SentRequestStore requests() {
        return requests;
    }

    TokenExpiry tokenExpiry() {
        return new TokenExpiry(clock);
    }

    /** Creates a pairing token for a device with all scopes, whose token does not expire. */
    public Pairing pair(TenantId tenant, @Nullable String name) {
        return pair(tenant, name, DeviceScopes.ALL, null);
    }

    /**
     * Creates a pairing token for a device with these scopes.
     *
     * @param tokenExpiresAt when the device must be paired again; null for never
     */
    public Pairing pair(
            TenantId tenant,
            @Nullable String name,
            Set<Scope> scopes,
            @Nullable Long tokenExpiresAt) {
        if (name != null && name.length() > MAX_NAME) {
            throw ApiException.invalid("name", "must have at most 255 characters");
        }
        long now = clock.millis();
        var device =
                new Device(
                        UUID.randomUUID().toString(),
                        tenant,
                        name == null || name.isBlank() ? "device" : name,
                        null,
                        now,
                        now + PAIRING_TIMEOUT.toMillis(),
                        null,
                        null,
                        null,
                        scopes,
                        tokenExpiresAt);
        var token = tokens.generate();
        anyKnown = true;
        store.insert(device, DeviceTokens.hash(token));
        return new Pairing(device, token);
    }

    /** Finds a device by its device token or pairing token, without pairing it. */
    @Override
    public Optional<Identity> find(String credential) {
        if (!DeviceTokens.isToken(credential)) {
            return Optional.empty();
        }
        return device(credential).map(Device::identity);
    }

    private Optional<Device> device(String token) {
        var found = store.findByToken(DeviceTokens.hash(token));
        long now = clock.millis();
        return found.filter(device -> !device.isExpired(now));
    }

    /**
     * Authenticates a device by its token, and pairs it on first use. Empty if the token is
     * unknown, expired or revoked.
     *
     * @param replacesToken whether pairing replaces the token that was displayed by a new one
     */
    public Optional<AuthenticatedDevice> authenticate(
            String token, @Nullable String platform, boolean replacesToken) {
        var found = device(token);
        if (found.isEmpty()) {
            return Optional.empty();
        }
        var device = found.get();
        if (device.isPaired()) {
            store.setLastSeen(device.id(), clock.millis());
            return Optional.of(new AuthenticatedDevice(device, null));
        }
        var newToken = replacesToken ? tokens.generate() : null;
        var hash = DeviceTokens.hash(newToken == null ? token : newToken);
        return store.pair(device.id(), hash, platform, clock.millis())
                ? Optional.of(new AuthenticatedDevice(device, newToken))
                : Optional.empty();
    }

    /**
     * Invalidates a pairing token that was sent in clear text. The token of a paired device remains
     * valid.
     */
    public void invalidatePairingToken(String token) {
        store.findByToken(DeviceTokens.hash(token))
                .filter(device -> !device.isPaired())
                .ifPresent(device -> store.revoke(device.tenant(), device.id(), clock.millis()));
    }

    private Set<String> findValid(Set<String> ids) {
        return Set.copyOf(store.findValid(ids, clock.millis()));
    }

    /** Records that the user has acknowledged the warning about a public connection. */
    public void acknowledgePublicConnection(Device device) {
        store.setAcknowledged(device.id(), clock.millis());
    }

    public boolean isPublicConnectionAcknowledged(Device device) {
        long since = clock.millis() - ACKNOWLEDGMENT_VALIDITY.toMillis();
        return store.findById(device.id())
                .map(Device::acknowledgedAt)
                .filter(at -> at > since)
                .isPresent();
    }

    /**
     * Records, until the server exits, that the user has acknowledged the warning about clock skew.
     */
    public void acknowledgeClockSkew(Device device) {
        skewAcknowledgedAt.put(device.id(), clock.millis());
    }

    public boolean isClockSkewAcknowledged(Device device) {
        long since = clock.millis() - ACKNOWLEDGMENT_VALIDITY.toMillis();
        return skewAcknowledgedAt.getOrDefault(device.id(), Long.MIN_VALUE) > since;
    }

    /** Returns whether the server may have a device. No query: false if it never had one. */
    public boolean isAnyKnown() {
        return anyKnown;
    }

    public List<Device> list(TenantId tenant) {
        return store.list(tenant);
    }

    public void revoke(TenantId tenant, String id) {
        if (!store.revoke(tenant, id, clock.millis())) {
            throw new ApiException(ErrorCode.DEVICE_NOT_FOUND, "Device not found");
        }
        skewAcknowledgedAt.remove(id);
        openCalls.end(id, "This device was revoked");
    }

    @Override
    public OpenCalls openCalls() {
        return openCalls;
    }
}
