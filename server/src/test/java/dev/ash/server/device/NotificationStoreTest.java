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

    private final Ticking clock = new Ticking();
    private NotificationStore store;

    private static final class Ticking extends Clock {
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

    private void keep(String id, String subject, String... devices) {
        clock.now = clock.now.plusMillis(1);
        store.keep(List.of(devices), new Notification(id, SESSION, subject, RawJson.of("{}")));
    }

    private List<String> of(String device) {
        return store.of(device).stream().map(Notification::id).toList();
    }

    @Test
    void readsWhatItStored() {
        var session = SessionId.random();
        insertSession(TENANT, session);
        var notification = new Notification(TEXT, session, TEXT, RawJson.of("{\"text\":\"🦊\"}"));

        store.keep(List.of("phone"), notification);

        assertThat(store.of("phone")).containsExactly(notification);
        assertThat(store.of("tablet")).isEmpty();
    }

    @Test
    void storesAllOrNothing() {
        keep("1", "a", "phone");

        assertThatThrownBy(
                        () ->
                                store.keep(
                                        List.of("tablet", "phone"),
                                        new Notification("1", SESSION, "b", RawJson.of("{}"))))
                .isInstanceOf(ApiException.class);

        assertThat(of("phone")).containsExactly("1");
        assertThat(of("tablet")).isEmpty();
    }

    @Test
    void keepsOneOfConcurrentNotificationsAboutTheSame() {
        concurrently(
                10,
                i ->
                        () -> {
                            store.keep(
                                    List.of("phone"),
                                    new Notification("n" + i, SESSION, "same", RawJson.of("{}")));
                            return i;
                        });

        assertThat(of("phone")).hasSize(1);
    }

    @Test
    void showsNothingAboutASessionWhoseRemovalHasBegun() {
        keep("1", "a", "phone");
        insertPurge(TENANT, SESSION);

        assertThat(of("phone")).isEmpty();
    }

    @Test
    void storesNothingAboutRemovedSessions() {
        var removed = SessionId.random();

        store.keep(List.of("phone"), new Notification("1", removed, "s", RawJson.of("{}")));

        assertThat(of("phone")).isEmpty();
    }

    @Test
    void theNewestAboutTheSameTakesThePlaceOfTheOlder() {
        keep("1", "outcome", "phone", "tablet");
        keep("2", "approval a", "phone");
        keep("3", "outcome", "phone");

        assertThat(of("phone")).containsExactly("2", "3");
        assertThat(of("tablet")).containsExactly("1");
    }

    @Test
    void whatOneDeviceAcknowledgesStaysForTheOthers() {
        keep("1", "a", "phone", "tablet");
        keep("2", "b", "phone", "tablet");

        store.acknowledge("phone", List.of("1", "nothing"));

        assertThat(of("phone")).containsExactly("2");
        assertThat(of("tablet")).containsExactly("1", "2");
    }

    @Test
    void whatWasAnsweredIsWithdrawnFromAll() {
        keep("1", "approval a", "phone", "tablet");
        keep("2", "approval b", "phone");

        store.withdraw("approval a");

        assertThat(of("phone")).containsExactly("2");
        assertThat(of("tablet")).isEmpty();
    }

    @Test
    void onlySoManyAreKeptAndOnlyForSoLong() {
        for (int i = 0; i < NotificationStore.MOST + 20; i++) {
            keep("n" + i, "s" + i, "phone");
        }
        assertThat(of("phone"))
                .hasSize(NotificationStore.MOST)
                .contains("n119")
                .doesNotContain("n19");

        clock.now = clock.now.plus(NotificationStore.AGE).plus(Duration.ofMinutes(1));
        assertThat(of("phone")).isEmpty();
        keep("fresh", "fresh", "phone");
        assertThat(of("phone")).containsExactly("fresh");
    }
}
