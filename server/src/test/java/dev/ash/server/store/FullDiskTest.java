package dev.ash.server.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.SessionId;
import dev.ash.protocol.json.RawJson;
import dev.ash.server.event.EventStore;
import dev.ash.server.event.EventType;
import dev.ash.server.event.LoggedEvent;
import dev.ash.server.event.NewEvent;
import dev.ash.server.event.SessionEvents;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Runs the database on a real file system that is full or read-only. */
@Timeout(120)
class FullDiskTest {
    private final SessionId session = SessionId.random();

    @TempDir Path directory;

    private NewEvent event() {
        var data = RawJson.of("{\"type\":\"system\",\"text\":\"" + "x".repeat(2000) + "\"}");
        return NewEvent.of(session, null, EventType.MESSAGE, data, null);
    }

    private static SessionEvents events(Database database) {
        return new SessionEvents(database, new EventStore(database), Clock.systemUTC());
    }

    private long append(SessionEvents events) {
        return events.append(session, List.of(event()), (_, _) -> {}).getFirst().seq();
    }

    private List<Long> logged(SessionEvents events) throws InterruptedException {
        var seen = new ArrayList<Long>();
        try (var subscription = events.subscribe(session, 0)) {
            for (var batch = subscription.nextBatch(Duration.ZERO);
                    !batch.isEmpty();
                    batch = subscription.nextBatch(Duration.ZERO)) {
                batch.stream().map(LoggedEvent::seq).forEach(seen::add);
            }
        }
        return seen;
    }

    private static void assertConsecutiveFromOne(List<Long> numbers) {
        for (int i = 0; i < numbers.size(); i++) {
            assertThat(numbers.get(i)).isEqualTo(i + 1);
        }
    }

    @Test
    void rejectsEventsOnFullDiskAndAcceptsThemAfterSpaceIsFreed() throws Exception {
        try (var disk = SmallDisk.mount(directory, 8);
                var database = Database.open(disk.path().resolve("ash.db"))) {
            var events = events(database);
            long acknowledged = append(events);
            var ballast = disk.fill();

            ApiException rejection = null;
            while (rejection == null) {
                try {
                    acknowledged = append(events);
                } catch (ApiException e) {
                    rejection = e;
                }
            }
            assertThat(rejection.code()).isEqualTo(ErrorCode.DISK_FULL);
            assertThat(rejection.code().httpStatus()).isEqualTo(507);
            assertThat(rejection.message()).contains("disk").contains("Free some space");
            assertThatThrownBy(() -> append(events)).isInstanceOf(ApiException.class);
            assertThat(logged(events)).hasSize((int) acknowledged);

            Files.delete(ballast);
            for (int i = 0; i < 50; i++) {
                assertThat(append(events)).isEqualTo(++acknowledged);
            }
            assertConsecutiveFromOne(logged(events));
        }
    }

    @Test
    void storesOrRejectsEachConcurrentUnitOnFullDisk() throws Exception {
        try (var disk = SmallDisk.mount(directory, 8);
                var database = Database.open(disk.path().resolve("ash.db"))) {
            var events = events(database);
            append(events);
            var ballast = disk.fill();
            var stored = new ConcurrentLinkedQueue<Boolean>();
            var rejected = new ConcurrentLinkedQueue<ApiException>();

            int count = 300;
            for (int i = 0; i < count; i++) {
                events.submit(
                        session,
                        List.of(event()),
                        (_, _) -> {},
                        () -> stored.add(true),
                        rejected::add);
            }
            database.writer().submit(_ -> true, _ -> {}, _ -> {});
            Files.delete(ballast);
            append(events);

            assertThat(stored.size() + rejected.size()).isEqualTo(count);
            assertThat(logged(events)).hasSize(stored.size() + 2);
            assertConsecutiveFromOne(logged(events));
        }
    }

    @Test
    void reportsReadOnlyDataDirectory() throws Exception {
        try (var disk = SmallDisk.mount(directory, 8)) {
            var used = disk.path().resolve("ash.db");
            Database.open(used).close();
            disk.remountReadOnly();

            assertThatThrownBy(() -> Database.open(used))
                    .isInstanceOf(ApiException.class)
                    .hasMessageContaining("Cannot open the database " + used)
                    .hasMessageContaining("is not writable");
            assertThatThrownBy(() -> Database.open(disk.path().resolve("new.db")))
                    .isInstanceOf(ApiException.class)
                    .hasMessageContaining("Cannot create the database")
                    .hasMessageContaining("Read-only file system");
        }
    }
}
