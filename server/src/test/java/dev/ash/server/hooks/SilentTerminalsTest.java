package dev.ash.server.hooks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.protocol.SessionId;
import dev.ash.protocol.TenantId;
import dev.ash.server.event.EventType;
import dev.ash.server.event.LoggedEvent;
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

class SilentTerminalsTest {
    private static final SessionId ID = new SessionId("f2b8a881-b390-4952-babb-e1e9f340c9da");
    private static final Duration SILENCE = Duration.ofHours(2);

    @TempDir Path directory;
    private final SettableClock clock = new SettableClock();
    private HookFixture fixture;

    private static final class SettableClock extends Clock {
        private volatile Instant now = Instant.now();

        @Override
        public ZoneId getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
            return this;
        }

        @Override
        public Instant instant() {
            return now;
        }
    }

    @BeforeEach
    void open() {
        fixture =
                new HookFixture(
                        directory, new HookTimeouts(Duration.ofSeconds(60), SILENCE), clock);
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    private void advance(Duration time) {
        clock.now = clock.now.plus(time);
    }

    private boolean isActive() {
        return fixture.hooks.find(TenantId.DEFAULT, ID).orElseThrow().isActive();
    }

    private List<LoggedEvent> log() throws Exception {
        try (var subscription = fixture.events.subscribe(ID, 0)) {
            return subscription.nextBatch(Duration.ZERO);
        }
    }

    @Test
    void endsSilentSessionOnceAndNotifiesListeners() throws Exception {
        fixture.hook(HookRoutesTest.event("SessionStart", ""));
        advance(SILENCE);
        fixture.hooks.endSilent();
        assertThat(isActive()).as("within the limit").isTrue();

        advance(Duration.ofMillis(1));
        fixture.hooks.endSilent();
        fixture.hooks.endSilent();

        assertThat(isActive()).isFalse();
        assertThat(log())
                .filteredOn(event -> event.type() == EventType.LIFECYCLE)
                .singleElement()
                .satisfies(
                        event ->
                                assertThat(event.data()).hasToString("{\"action\":\"timed_out\"}"));
        assertThat(fixture.changes).extracting(HookSession::isActive).containsExactly(true, false);
        assertThat(fixture.get("/api/hooks/sessions").body()).contains("\"status\":\"ended\"");
    }

    @Test
    void reactivatesSessionOnNextEvent() throws Exception {
        fixture.hook(HookRoutesTest.event("SessionStart", ""));
        advance(SILENCE.plusMillis(1));
        fixture.hooks.endSilent();
        fixture.hook(HookRoutesTest.event("UserPromptSubmit", ",\"prompt\":\"still here\""));
        fixture.hooks.endSilent();

        assertThat(isActive()).isTrue();
    }

    @Test
    void keepsSessionThatWaitsForAnswer() throws Exception {
        var waiting =
                fixture.startHook(
                        HookRoutesTest.event(
                                "PermissionRequest", ",\"tool_name\":\"Bash\",\"tool_input\":{}"));
        advance(SILENCE.plusMillis(1));
        fixture.hooks.endSilent();

        assertThat(isActive()).isTrue();
        fixture.decide(waiting.approval(), "{\"decision\":\"approved\"}");
    }
}
