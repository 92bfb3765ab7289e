package dev.ash.server.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.SessionId;
import dev.ash.protocol.json.RawJson;
import dev.ash.server.device.NotificationStore.Notification;
import dev.ash.server.store.StoreContract;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@StoreContract.Covers(NotificationStore.class)
class NotificationStoreTest extends StoreContract {
    private static final SessionId SESSION = SessionId.random();

    private final ManualClock clock = new ManualClock();
    private NotificationStore store;

    private static final class ManualClock extends Clock {
        private Instant now = Instant.EPOCH;

        @Override
        public Instant instant() {
            return now;
        }

        @Override
        public ZoneId getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
            return this;
        }
    }

    @BeforeEach
    void open() {
        insertTerminal(TENANT, SESSION);
        store = new NotificationStore(database, clock);
    }

    private void save(String id, String subject, String... devices) {
        clock.now = clock.now.plusMillis(1);
        store.save(List.of(devices), new Notification(id, SESSION, subject, RawJson.of("{}")));
    }

    private List<String> ids(String device) {
        return store.list(device).stream().map(Notification::id).toList();
    }

    @Test
    void readsStoredNotifications() {
        var session = SessionId.random();
        insertSession(TENANT, session);
        var notification = new Notification(TEXT, session, TEXT, RawJson.of("{\"text\":\"🦊\"}"));

        store.save(List.of("phone"), notification);

        assertThat(store.list("phone")).containsExactly(notification);
        assertThat(store.list("tablet")).isEmpty();
    }

    @Test
    void storesAllOrNothing() {
        save("1", "a", "phone");

        assertThatThrownBy(
                        () ->
                                store.save(
                                        List.of("tablet", "phone"),
                                        new Notification("1", SESSION, "b", RawJson.of("{}"))))
                .isInstanceOf(ApiException.class);

        assertThat(ids("phone")).containsExactly("1");
        assertThat(ids("tablet")).isEmpty();
    }

    @Test
    void keepsOneOfConcurrentNotificationsAboutSameSubject() {
        concurrently(
                10,
                i ->
                        () -> {
                            store.save(
                                    List.of("phone"),
                                    new Notification("n" + i, SESSION, "same", RawJson.of("{}")));
                            return i;
                        });

        assertThat(ids("phone")).hasSize(1);
    }

    @Test
    void hidesNotificationsAboutSessionsBeingRemoved() {
        save("1", "a", "phone");
        insertPurge(TENANT, SESSION);

        assertThat(ids("phone")).isEmpty();
    }

    @Test
    void storesNothingAboutRemovedSessions() {
        var removed = SessionId.random();

        store.save(List.of("phone"), new Notification("1", removed, "s", RawJson.of("{}")));

        assertThat(ids("phone")).isEmpty();
    }

    @Test
    void replacesOlderNotificationAboutSameSubject() {
        save("1", "outcome", "phone", "tablet");
        save("2", "approval a", "phone");
        save("3", "outcome", "phone");

        assertThat(ids("phone")).containsExactly("2", "3");
        assertThat(ids("tablet")).containsExactly("1");
    }

    @Test
    void acknowledgesForOneDeviceOnly() {
        save("1", "a", "phone", "tablet");
        save("2", "b", "phone", "tablet");

        store.acknowledge("phone", List.of("1", "nothing"));

        assertThat(ids("phone")).containsExactly("2");
        assertThat(ids("tablet")).containsExactly("1", "2");
    }

    @Test
    void withdrawsSubjectFromAllDevices() {
        save("1", "approval a", "phone", "tablet");
        save("2", "approval b", "phone");

        store.withdraw("approval a");

        assertThat(ids("phone")).containsExactly("2");
        assertThat(ids("tablet")).isEmpty();
    }

    @Test
    void limitsNumberAndAge() {
        for (int i = 0; i < NotificationStore.MAX_PER_DEVICE + 20; i++) {
            save("n" + i, "s" + i, "phone");
        }
        assertThat(ids("phone"))
                .hasSize(NotificationStore.MAX_PER_DEVICE)
                .contains("n119")
                .doesNotContain("n19");

        clock.now = clock.now.plus(NotificationStore.RETENTION).plus(Duration.ofMinutes(1));
        assertThat(ids("phone")).isEmpty();
        save("fresh", "fresh", "phone");
        assertThat(ids("phone")).containsExactly("fresh");
    }
}
