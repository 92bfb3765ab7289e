package dev.ash.server.device;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.protocol.SessionId;
import dev.ash.protocol.TenantId;
import dev.ash.server.store.Database;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DeviceCursorsTest {
    private static final SessionId SESSION = SessionId.random();

    @TempDir Path directory;
    private Database database;
    private Devices devices;
    private CursorStore store;
    private DeviceCursors cursors;
    private String phone;
    private String tablet;

    @BeforeEach
    void open() {
        database = Database.open(directory.resolve("ash.db"));
        devices = new Devices(database, new SecureRandom(), Clock.systemUTC());
        store = new CursorStore(database);
        cursors = new DeviceCursors(store);
        HookSessions.insert(database, SESSION);
        phone = devices.pair(TenantId.DEFAULT, "phone").device().id();
        tablet = devices.pair(TenantId.DEFAULT, "tablet").device().id();
    }

    @AfterEach
    void close() {
        cursors.close();
        database.close();
    }

    @Test
    void returnsConfirmedEventsImmediatelyAndWritesThemInBatches() throws Exception {
        var written = new CountDownLatch(2);
        cursors.follow(phone, SESSION);
        cursors.follow(tablet, SESSION);
        assertThat(store.followers(SESSION)).containsExactlyInAnyOrder(phone, tablet);

        cursors.confirm(phone, Map.of(SESSION, 7L), written::countDown);
        cursors.confirm(phone, Map.of(SESSION, 5L), written::countDown);

        assertThat(cursors.cursor(phone, SESSION)).isEqualTo(7);
        assertThat(cursors.cursors(phone)).containsExactly(Map.entry(SESSION, 7L));
        assertThat(cursors.cursor(tablet, SESSION)).isZero();
        assertThat(written.await(20, TimeUnit.SECONDS)).isTrue();
        assertThat(store.find(phone, SESSION)).isEqualTo(7);
    }

    @Test
    void writesPendingCursorsOnClose() {
        cursors.follow(phone, SESSION);
        cursors.confirm(phone, Map.of(SESSION, 9L), () -> {});
        cursors.close();

        assertThat(store.find(phone, SESSION)).isEqualTo(9);
    }

    @Test
    void storesNoCursorsOfRemovedSessions() throws Exception {
        var removed = SessionId.random();
        var written = new CountDownLatch(1);

        cursors.follow(phone, removed);
        cursors.confirm(phone, Map.of(removed, 7L), written::countDown);

        assertThat(written.await(20, TimeUnit.SECONDS)).isTrue();
        assertThat(store.findAll(phone)).isEmpty();
    }

    @Test
    void storesNoCursorsOfRevokedDevices() {
        cursors.follow(phone, SESSION);
        devices.revoke(TenantId.DEFAULT, phone);
        cursors.confirm(phone, Map.of(SESSION, 9L), () -> {});
        cursors.close();

        assertThat(store.findAll(phone)).isEmpty();
    }
}
