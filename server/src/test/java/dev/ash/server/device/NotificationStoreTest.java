package dev.ash.server.device;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.protocol.SessionId;
import dev.ash.protocol.json.RawJson;
import dev.ash.server.device.NotificationStore.Notification;
import dev.ash.server.store.Database;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NotificationStoreTest {
    private static final SessionId SESSION = SessionId.random();

    @TempDir Path folder;
    private final Ticking clock = new Ticking();
    private Database database;
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
        database = Database.open(folder.resolve("ash.db"));
        HookSessions.insert(database, SESSION);
        store = new NotificationStore(database, clock);
    }

    @AfterEach
    void close() {
        database.close();
    }

    private void keep(String id, String subject, String... devices) {
        clock.now = clock.now.plusMillis(1);
        store.keep(List.of(devices), new Notification(id, SESSION, subject, RawJson.of("{}")));
    }

    private List<String> of(String device) {
        return store.of(device).stream().map(Notification::id).toList();
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
