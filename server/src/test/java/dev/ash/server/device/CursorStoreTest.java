package dev.ash.server.device;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.protocol.SessionId;
import dev.ash.server.store.StoreContract;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@StoreContract.Covers(CursorStore.class)
class CursorStoreTest extends StoreContract {
    private final SessionId own = SessionId.random();
    private final SessionId terminal = SessionId.random();
    private CursorStore store;

    @BeforeEach
    void create() {
        store = new CursorStore(database);
        insertSession(TENANT, own);
        insertTerminal(TENANT, terminal);
        insertDevice("phone");
        insertDevice("tablet");
    }

    private void insertDevice(String id) {
        new DeviceStore(database)
                .insert(
                        new Device(
                                id,
                                TENANT,
                                id,
                                null,
                                0,
                                1L,
                                null,
                                null,
                                null,
                                DeviceScopes.ALL,
                                null),
                        bytes(id));
    }

    private void advance(String device, SessionId session, long seq) {
        store.advance(Map.of(new DeviceCursors.CursorKey(device, session), seq));
    }

    @Test
    void readsStoredCursors() {
        advance("phone", own, LATE);
        advance("phone", terminal, 1);
        advance("tablet", own, 2);

        assertThat(store.find("phone", own)).isEqualTo(LATE);
        assertThat(store.find("tablet", terminal)).isZero();
        assertThat(store.findAll("phone")).isEqualTo(Map.of(own, LATE, terminal, 1L));
        assertThat(store.followers(own)).containsExactlyInAnyOrder("phone", "tablet");
        assertThat(store.followers(terminal)).containsExactly("phone");
    }

    @Test
    void neverMovesBackwards() {
        advance("phone", own, 5);
        advance("phone", own, 3);
        assertThat(store.find("phone", own)).isEqualTo(5);
        advance("phone", own, 6);
        assertThat(store.find("phone", own)).isEqualTo(6);
    }

    @Test
    void storesHighestOfConcurrentUpdates() {
        concurrently(
                20,
                i ->
                        () -> {
                            advance("phone", own, i + 1);
                            return i;
                        });

        assertThat(store.find("phone", own)).isEqualTo(20);
    }

    @Test
    void storesNothingForRevokedDevicesAndRemovedSessions() {
        new DeviceStore(database).revoke(TENANT, "phone", 1);

        advance("phone", own, 1);
        advance("unknown", own, 1);
        advance("tablet", SessionId.random(), 1);

        assertThat(count("device_cursors")).isZero();
    }

    @Test
    void deletesCursorOfOneSessionAndDevice() {
        advance("phone", own, 1);
        advance("phone", terminal, 1);
        advance("tablet", own, 1);

        store.delete("phone", own);

        assertThat(
                        new TreeMap<>(
                                Map.of(
                                        "phone",
                                        store.findAll("phone"),
                                        "tablet",
                                        store.findAll("tablet"))))
                .isEqualTo(Map.of("phone", Map.of(terminal, 1L), "tablet", Map.of(own, 1L)));
    }
}
