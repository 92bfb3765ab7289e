package dev.ash.server.health;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.protocol.SessionId;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.rest.HealthResponse;
import dev.ash.server.egress.model.RequestCounts;
import dev.ash.server.event.EventStore;
import dev.ash.server.event.NewEvent;
import dev.ash.server.event.SessionEvents;
import dev.ash.server.http.Access;
import dev.ash.server.store.Database;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MetricsTest {
    private static final HealthResponse HEALTH =
            new HealthResponse(
                    "ok",
                    "1",
                    "host-7",
                    5,
                    3,
                    0,
                    90,
                    new HealthResponse.Pool(15, 1, 2, 3, 4, 5, 100, 6, 7, 8),
                    null,
                    "demo",
                    0,
                    null);

    @TempDir Path directory;
    private Database database;
    private SessionEvents events;

    @BeforeEach
    void open() {
        database = Database.open(directory.resolve("ash.db"));
        events = new SessionEvents(database, new EventStore(database), Clock.systemUTC());
    }

    @AfterEach
    void close() {
        database.close();
    }

    private static List<String> lines(Metrics metrics) throws IOException {
        var out = new ByteArrayOutputStream();
        metrics.writeTo(out);
        return out.toString(UTF_8).lines().filter(line -> !line.startsWith("#")).toList();
    }

    @Test
    void exportsHealthUnderEstablishedNames() throws IOException {
        var metrics = new Metrics(() -> HEALTH, events, database.writer(), new RequestCounts());

        assertThat(lines(metrics))
                .contains(
                        "ash_up{coordinator=\"host-7\"} 1.0",
                        "ash_uptime_seconds 90.0",
                        "ash_active_sessions 5.0",
                        "ash_active_sandboxes 3.0",
                        "ash_pool_sandboxes{state=\"cold\"} 1.0",
                        "ash_pool_sandboxes{state=\"warming\"} 2.0",
                        "ash_pool_sandboxes{state=\"warm\"} 3.0",
                        "ash_pool_sandboxes{state=\"waiting\"} 4.0",
                        "ash_pool_sandboxes{state=\"running\"} 5.0",
                        "ash_pool_max_capacity 100.0",
                        "ash_resume_total{path=\"warm\"} 6.0",
                        "ash_resume_total{path=\"cold\"} 7.0",
                        "ash_resume_total{path=\"prewarm\"} 8.0");
        assertThat(metrics.contentType()).isEqualTo("text/plain; version=0.0.4; charset=utf-8");
    }

    @Test
    void countsEventsSubscribersAndCommits() throws IOException {
        var metrics = new Metrics(() -> HEALTH, events, database.writer(), new RequestCounts());
        var session = SessionId.random();
        var created = NewEvent.lifecycle(session, "created", JsonWriter.object());
        events.append(session, List.of(created, created), (_, _) -> {});

        try (var _ = events.subscribeLive(session)) {
            assertThat(lines(metrics))
                    .contains(
                            "ash_events_stored_total 2.0",
                            "ash_watchers 1.0",
                            "ash_writer_queue 0.0",
                            "ash_commit_units_bucket{le=\"1.0\"} 1",
                            "ash_commit_units_count 1",
                            "ash_commit_seconds_count 1");
        }
    }

    @Test
    void requiresKey() {
        var routes =
                new MetricsRoutes(() -> HEALTH, events, database.writer(), new RequestCounts());

        assertThat(routes.endpoints())
                .singleElement()
                .extracting(e -> e.access())
                .isEqualTo(Access.KEY);
    }
}
