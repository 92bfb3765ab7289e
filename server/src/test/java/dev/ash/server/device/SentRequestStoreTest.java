package dev.ash.server.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.SessionId;
import dev.ash.protocol.TenantId;
import dev.ash.server.store.StoreContract;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@StoreContract.Covers(SentRequestStore.class)
class SentRequestStoreTest extends StoreContract {
    private static final SessionId SESSION = SessionId.random();

    private Devices devices;
    private SentRequestStore store;
    private String phone;

    @BeforeEach
    void open() {
        devices = new Devices(database, new SecureRandom(), Clock.systemUTC());
        store = devices.requests();
        phone = devices.pair(TenantId.DEFAULT, "phone").device().id();
    }

    private SentRequest on(String connection, String id, String content) {
        return SentRequest.message(phone, connection, SESSION, id, content, "");
    }

    private long rows() {
        return count("device_requests");
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
    void rejectsRequestOfAnotherConnection() {
        store.insert(on("c1", "msg-001", "hello"), "turn-1", 1);

        assertThatThrownBy(() -> store.insert(on("c2", "msg-001", "hello"), "turn-2", 2))
                .isInstanceOfSatisfying(
                        ApiException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.SESSION_BUSY));
        assertThat(rows()).isEqualTo(1);
    }

    @Test
    void deletesRequestConfirmedOnItsConnection() {
        store.insert(on("c1", "msg-001", "hello"), "turn-1", 1);
        store.claim(on("c2", "msg-001", "hello"));

        store.confirm("c1", "turn-1");
        awaitWriter();
        assertThat(rows()).as("c2 has sent it again").isEqualTo(1);
        store.confirm("c2", "turn-1");
        awaitWriter();

        assertThat(store.claim(on("c3", "msg-001", "hello"))).isEmpty();
        assertThat(rows()).isZero();
    }

    @Test
    void matchesRequestOfEarlierServer() {
        store.insert(on("c1", "msg-001", "hello"), "turn-1", 1);
        var later = new Devices(database, new SecureRandom(), Clock.systemUTC()).requests();

        assertThat(later.claim(on("c2", "msg-001", "hello"))).contains("turn-1");
    }

    @Test
    void deletesOldRequestsAndThoseOfRevokedDevices() {
        long now = SentRequestStore.RETENTION.toMillis();
        store.insert(on("c1", "msg-001", "hello"), "turn-1", 1);
        store.insert(on("c1", "msg-002", "hello"), "turn-2", now + 2);

        assertThat(store.claim(on("c2", "msg-001", "hello"))).isEmpty();
        assertThat(rows()).isEqualTo(1);
        devices.revoke(TenantId.DEFAULT, phone);

        assertThat(rows()).isZero();
    }

    @Test
    void storesEveryColumn() {
        var request = SentRequest.message("phone", "c1", SESSION, "1", TEXT, "");
        store.insert(request, TEXT, LATE);

        assertThat(row("device_requests"))
                .isEqualTo(
                        Map.of(
                                "id",
                                TEXT,
                                "device_id",
                                "phone",
                                "session_id",
                                SESSION.value(),
                                "digest",
                                request.digest(),
                                "connection_id",
                                "c1",
                                "created_at",
                                LATE));

        store.delete(TEXT);
        store.insert(SentRequest.start("phone", "c1", "1", "{}"), "start", 1);
        assertThat(row("device_requests")).containsEntry("session_id", null);
    }

    @Test
    void storesNothingAfterRollback() {
        rollBack(transaction -> store.insert(transaction, on("c1", "msg-001", "hello"), "turn", 1));

        assertThat(rows()).isZero();
        assertThat(store.find(on("c2", "msg-001", "hello"))).isEmpty();
    }

    @Test
    void assignsRequestToOneOfConcurrentConnections() {
        store.insert(on("c0", "msg-001", "hello"), "turn-1", 1);

        concurrently(10, i -> () -> store.claim(on("c" + (i + 1), "msg-001", "hello")));

        assertThat(rows()).isEqualTo(1);
        assertThat(String.valueOf(row("device_requests").get("connection_id"))).isNotEqualTo("c0");
    }
}
