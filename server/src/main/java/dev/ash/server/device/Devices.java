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
 * Who may connect as a device. A person makes a pairing token and shows it to the device, which
 * becomes a device by its first use: from then on the token is its own, or it gets another one that
 * nobody has seen on a screen.
 */
public final class Devices implements IdentitySource {
    static final Duration PAIRING = Duration.ofMinutes(10);
    static final Duration ACKNOWLEDGED = Duration.ofHours(8);
    private static final int MAX_NAME = 255;

    private final DeviceStore store;
    private final SentRequestStore requests;
    private final DeviceTokens tokens;
    private final Clock clock;
    private final Map<String, Long> acceptedClocks = new ConcurrentHashMap<>(); // since when
    private final OpenCalls openCalls =
            new OpenCalls(this::valid, "The token of this device has expired or was revoked");

    public Devices(Storage storage) {
        this(storage.database(), storage.random(), storage.clock());
    }

    public Devices(Database database, SecureRandom random, Clock clock) {
        this.store = new DeviceStore(database);
        this.requests = new SentRequestStore(database);
        this.tokens = new DeviceTokens(random);
        this.clock = clock;
    }

    /** What is shown to a device, once. */
    public record Pairing(Device device, String token) {}

    /** Who connected, and the token that it is to use from now on, if that is another. */
    public record Entrance(Device device, @Nullable String newToken) {}

    /** Requests that a device may send again after it lost its connection. */
    public SentRequestStore requests() {
        return requests;
    }

    TokenExpiry expiry() {
        return new TokenExpiry(clock);
    }

    /** With all scopes, and a token that does not expire. */
    public Pairing pair(TenantId tenant, @Nullable String name) {
        return pair(tenant, name, DeviceScopes.ALL, null);
    }

    /**
     * Makes a pairing token for a device with these scopes.
     *
     * @param tokenExpiresAt when the device has to be paired again; null for never
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
                        now + PAIRING.toMillis(),
                        null,
                        null,
                        null,
                        scopes,
                        tokenExpiresAt);
        var token = tokens.make();
        store.insert(device, DeviceTokens.hash(token));
        return new Pairing(device, token);
    }

    /** By the device's own token, or by one that it may pair with; changes nothing. */
    @Override
    public Optional<Identity> find(String credential) {
        if (!DeviceTokens.isToken(credential)) {
            return Optional.empty();
        }
        return device(credential).map(Device::identity);
    }

    private Optional<Device> device(String token) {
        var found = store.byToken(DeviceTokens.hash(token));
        long now = clock.millis();
        return found.filter(device -> !device.isExpired(now));
    }

    /**
     * Lets a device in by its token, or pairs it; empty if the token is unknown, expired or
     * revoked.
     *
     * @param wantsOwn whether the device can keep a token other than the one that it was shown
     */
    public Optional<Entrance> enter(String token, @Nullable String platform, boolean wantsOwn) {
        var found = device(token);
        if (found.isEmpty()) {
            return Optional.empty();
        }
        var device = found.get();
        if (device.isPaired()) {
            store.seen(device.id(), clock.millis());
            return Optional.of(new Entrance(device, null));
        }
        var own = wantsOwn ? tokens.make() : null;
        var kept = DeviceTokens.hash(own == null ? token : own);
        return store.pair(device.id(), kept, platform, clock.millis())
                ? Optional.of(new Entrance(device, own))
                : Optional.empty();
    }

    /**
     * A token that was seen in clear text is worth nothing any more, unless a device lives by it.
     */
    public void burn(String token) {
        store.byToken(DeviceTokens.hash(token))
                .filter(device -> !device.isPaired())
                .ifPresent(device -> store.revoke(device.tenant(), device.id(), clock.millis()));
    }

    private Set<String> valid(Set<String> ids) {
        return Set.copyOf(store.valid(ids, clock.millis()));
    }

    /** A person has accepted that this device connects over the open internet. */
    public void acknowledge(Device device) {
        store.acknowledged(device.id(), clock.millis());
    }

    public boolean isAcknowledged(Device device) {
        long since = clock.millis() - ACKNOWLEDGED.toMillis();
        return store.byId(device.id())
                .map(Device::acknowledgedAt)
                .filter(at -> at > since)
                .isPresent();
    }

    /** A person has accepted that the clock of this device is off; forgotten with this server. */
    public void acceptClock(Device device) {
        acceptedClocks.put(device.id(), clock.millis());
    }

    public boolean isClockAccepted(Device device) {
        long since = clock.millis() - ACKNOWLEDGED.toMillis();
        return acceptedClocks.getOrDefault(device.id(), Long.MIN_VALUE) > since;
    }

    public List<Device> list(TenantId tenant) {
        return store.list(tenant);
    }

    public void revoke(TenantId tenant, String id) {
        if (!store.revoke(tenant, id, clock.millis())) {
            throw new ApiException(ErrorCode.DEVICE_NOT_FOUND, "Device not found");
        }
        acceptedClocks.remove(id);
        openCalls.end(id, "This device was revoked");
    }

    @Override
    public OpenCalls openCalls() {
        return openCalls;
    }
}
