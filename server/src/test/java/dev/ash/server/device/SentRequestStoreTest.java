package dev.ash.server.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.SessionId;
import dev.ash.protocol.TenantId;
import dev.ash.server.store.Database;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Clock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SentRequestStoreTest {
    private static final SessionId SESSION = SessionId.random();

    @TempDir Path folder;
    private Database database;
    private Devices devices;
    private SentRequestStore store;
    private String phone;

    @BeforeEach
    void open() {
        database = Database.open(folder.resolve("ash.db"));
        devices = new Devices(database, new SecureRandom(), Clock.systemUTC());
        store = devices.requests();
        if (phone == null) {
            phone = devices.pair(TenantId.DEFAULT, "phone").device().id();
        }
    }

    @AfterEach
    void close() {
        database.close();
    }

    private SentRequest on(String connection, String id, String content) {
        return SentRequest.message(phone, connection, SESSION, id, content, "");
    }

    private void flush() {
        database.writer().write(_ -> true);
    }

    private long rows() {
        return database.read(
                handle ->
                        handle.createQuery("SELECT count(*) FROM device_requests")
                                .mapTo(Long.class)
                                .one());
    }

    @Test
    void matchesRequestOfAnotherConnectionOnly() {
        store.insert(on("c1", "msg-001", "hello"), "turn-1", 1);

        assertThat(store.claim(on("c1", "msg-001", "hello"))).isEmpty();
        assertThat(store.claim(on("c2", "msg-002", "hello"))).isEmpty();
        assertThat(store.claim(on("c2", "msg-001", "bye"))).isEmpty();
        assertThat(store.claim(on("c2", "msg-001", "hello"))).contains("turn-1");
    }

    @Test
    void distinguishesDevicesAndSessionsAndAttachments() {
        store.insert(on("c1", "msg-001", "hello"), "turn-1", 1);

        assertThat(store.claim(message("tablet", SESSION, "hello", ""))).isEmpty();
        assertThat(store.claim(message(phone, SessionId.random(), "hello", ""))).isEmpty();
        assertThat(store.claim(message(phone, SESSION, "hello", "[]"))).isEmpty();
        assertThat(store.claim(message(phone, SESSION, "hell", "o"))).isEmpty();
        assertThat(store.claim(message(phone, SESSION, "hello", ""))).isPresent();
    }

    private static SentRequest message(
            String device, SessionId session, String content, String attachments) {
        return SentRequest.message(device, "c2", session, "msg-001", content, attachments);
    }

    @Test
    void matchesEachRequestOncePerConnection() {
        store.insert(on("c1", "msg-001", "hello"), "turn-1", 1);
        store.insert(on("c1", "msg-001", "hello"), "turn-2", 2);
        var again = on("c2", "msg-001", "hello");

        assertThat(store.claim(again)).contains("turn-1");
        assertThat(store.claim(again)).contains("turn-2");
        assertThat(store.claim(again)).isEmpty();
        assertThat(store.claim(on("c3", "msg-001", "hello"))).contains("turn-1");
    }

    @Test
    void rejectsRequestThatAnotherConnectionIsSending() {
        store.insert(on("c1", "msg-001", "hello"), "turn-1", 1);

        assertThatThrownBy(() -> store.insert(on("c2", "msg-001", "hello"), "turn-2", 2))
                .isInstanceOfSatisfying(
                        ApiException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.SESSION_BUSY));
        assertThat(rows()).isEqualTo(1);
    }

    @Test
    void deletesRequestThatItsConnectionConfirmed() {
        store.insert(on("c1", "msg-001", "hello"), "turn-1", 1);
        store.claim(on("c2", "msg-001", "hello"));

        store.confirm("c1", "turn-1");
        flush();
        assertThat(rows()).as("c2 has sent it again").isEqualTo(1);
        store.confirm("c2", "turn-1");
        flush();

        assertThat(store.claim(on("c3", "msg-001", "hello"))).isEmpty();
        assertThat(rows()).isZero();
    }

    @Test
    void matchesRequestOfAnEarlierServer() {
        store.insert(on("c1", "msg-001", "hello"), "turn-1", 1);
        database.close();
        open();

        assertThat(store.claim(on("c2", "msg-001", "hello"))).contains("turn-1");
    }

    @Test
    void deletesOldRequestsAndThoseOfRevokedDevices() {
        long now = SentRequestStore.KEPT.toMillis();
        store.insert(on("c1", "msg-001", "hello"), "turn-1", 1);
        store.insert(on("c1", "msg-002", "hello"), "turn-2", now + 2);

        assertThat(store.claim(on("c2", "msg-001", "hello"))).isEmpty();
        assertThat(rows()).isEqualTo(1);
        devices.revoke(TenantId.DEFAULT, phone);

        assertThat(rows()).isZero();
    }
}
