package dev.ash.server.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.SessionId;
import dev.ash.protocol.TenantId;
import dev.ash.protocol.json.RawJson;
import dev.ash.server.identity.Scope;
import dev.ash.server.store.StoreContract;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@StoreContract.Covers(DeviceStore.class)
class DeviceStoreTest extends StoreContract {
    private DeviceStore store;

    @BeforeEach
    void create() {
        store = new DeviceStore(database);
    }

    /** Returns a device whose pairing token was created at {@code createdAt} and is unused. */
    private static Device unpaired(TenantId tenant, String id, long createdAt) {
        return new Device(
                id,
                tenant,
                TEXT,
                null,
                createdAt,
                createdAt + 100,
                null,
                null,
                null,
                DeviceScopes.ALL,
                null);
    }

    @Test
    void readsStoredDevices() {
        var limited =
                new Device(
                        "limited",
                        TENANT,
                        TEXT,
                        TEXT,
                        LATE,
                        LATE + 1,
                        null,
                        null,
                        null,
                        Set.of(Scope.READ, Scope.APPROVE),
                        LATE + 2);
        var unlimited = unpaired(TENANT, "unlimited", LATE + 1);
        store.insert(limited, bytes("hash 1"));
        store.insert(unlimited, bytes("hash 2"));

        assertThat(store.findById("limited")).contains(limited);
        assertThat(store.findByToken(bytes("hash 2"))).contains(unlimited);
        assertThat(store.findByToken(bytes("hash 3"))).isEmpty();
        assertThat(store.list(TENANT)).containsExactly(limited, unlimited);
        assertThat(store.list(OTHER_TENANT)).isEmpty();
    }

    @Test
    void findsWhetherThereIsAnyDevice() {
        assertThat(store.isAny()).isFalse();
        store.insert(unpaired(TENANT, "1", 1000), bytes("hash"));
        assertThat(store.isAny()).isTrue();
        store.revoke(TENANT, "1", 1001);
        assertThat(store.isAny()).isFalse();
    }

    @Test
    void pairsOnceAndOnlyBeforeTokenExpires() {
        store.insert(unpaired(TENANT, "1", 1000), bytes("pairing"));

        assertThat(store.pair("1", bytes("own"), TEXT, 1101)).isFalse();
        assertThat(store.pair("1", bytes("own"), TEXT, 1100)).isTrue();
        assertThat(store.pair("1", bytes("other"), TEXT, 1100)).isFalse();

        var device = store.findByToken(bytes("own")).orElseThrow();
        assertThat(device.platform()).isEqualTo(TEXT);
        assertThat(device.pairedAt()).isEqualTo(1100);
        assertThat(device.lastSeenAt()).isEqualTo(1100);
        assertThat(device.expiresAt()).isNull();
        assertThat(store.findByToken(bytes("pairing"))).isEmpty();
    }

    @Test
    void acceptsOneOfConcurrentPairings() {
        store.insert(unpaired(TENANT, "1", 1000), bytes("pairing"));

        var paired = concurrently(10, i -> () -> store.pair("1", bytes("own " + i), null, 1001));

        assertThat(paired.stream().filter(done -> done)).hasSize(1);
        assertThat(store.findByToken(bytes("own " + paired.indexOf(true)))).isPresent();
    }

    @Test
    void storesTimesOfLastConnectionAndAcknowledgment() {
        store.insert(unpaired(TENANT, "1", 0), bytes("hash"));

        store.setLastSeen("1", LATE);
        store.setAcknowledged("1", LATE + 1);

        var device = store.findById("1").orElseThrow();
        assertThat(device.lastSeenAt()).isEqualTo(LATE);
        assertThat(device.acknowledgedAt()).isEqualTo(LATE + 1);
    }

    @Test
    void deletesDevicesWhosePairingTokenExpired() {
        store.insert(unpaired(TENANT, "old", 0), bytes("1"));
        store.insert(unpaired(TENANT, "new", 100), bytes("2"));
        assertThat(store.list(TENANT)).hasSize(2);

        store.insert(unpaired(TENANT, "newer", 101), bytes("3"));

        assertThat(store.list(TENANT)).extracting(Device::id).containsExactly("new", "newer");
    }

    @Test
    void rejectsDuplicateTokenAndDeletesNothing() {
        store.insert(unpaired(TENANT, "old", 0), bytes("hash"));

        assertThatThrownBy(() -> store.insert(unpaired(TENANT, "new", 50), bytes("hash")))
                .isInstanceOf(ApiException.class);

        assertThat(store.list(TENANT)).extracting(Device::id).containsExactly("old");
    }

    @Test
    void findsValidDevices() {
        store.insert(unpaired(TENANT, "unlimited", 0), bytes("1"));
        store.insert(
                new Device(
                        "limited",
                        TENANT,
                        "",
                        null,
                        0,
                        100L,
                        null,
                        null,
                        null,
                        DeviceScopes.ALL,
                        10L),
                bytes("2"));
        store.insert(unpaired(TENANT, "revoked", 0), bytes("3"));
        store.revoke(TENANT, "revoked", 5);
        var all = Set.of("unlimited", "limited", "revoked", "unknown");

        assertThat(store.findValid(all, 9)).containsExactlyInAnyOrder("unlimited", "limited");
        assertThat(store.findValid(all, 10)).containsExactly("unlimited");
    }

    @Test
    void deletesDataOfRevokedDevice() {
        var session = SessionId.random();
        insertTerminal(TENANT, session);
        for (var id : List.of("revoked", "kept")) {
            store.insert(unpaired(TENANT, id, 0), bytes(id));
            new CursorStore(database).advance(Map.of(new DeviceCursors.CursorKey(id, session), 1L));
            new SentRequestStore(database)
                    .insert(SentRequest.start(id, "connection", "1", "{}"), "request " + id, 1);
            new NotificationStore(database, Clock.systemUTC())
                    .save(
                            List.of(id),
                            new NotificationStore.Notification(
                                    "1", session, "subject", RawJson.of("{}")));
        }
        assertThat(store.revoke(OTHER_TENANT, "revoked", 1)).isFalse();

        assertThat(store.revoke(TENANT, "revoked", 1)).isTrue();

        assertThat(store.revoke(TENANT, "revoked", 1)).isFalse();
        assertThat(store.findById("revoked")).isEmpty();
        assertThat(store.findByToken(bytes("revoked"))).isEmpty();
        for (var table : List.of("device_cursors", "device_requests", "notifications")) {
            assertThat(row(table)).containsEntry("device_id", "kept");
        }
    }
}
