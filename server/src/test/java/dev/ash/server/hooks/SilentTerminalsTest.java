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

    @TempDir Path folder;
    private final SettableClock clock = new SettableClock();
    private HookWorld world;

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
        world = new HookWorld(folder, new HookTimes(Duration.ofSeconds(60), SILENCE), clock);
    }

    @AfterEach
    void close() {
        world.close();
    }

    private void pass(Duration time) {
        clock.now = clock.now.plus(time);
    }

    private boolean isActive() {
        return world.hooks.find(TenantId.DEFAULT, ID).orElseThrow().isActive();
    }

    private List<LoggedEvent> log() throws Exception {
        try (var subscription = world.events.subscribe(ID, 0)) {
            return subscription.nextBatch(Duration.ZERO);
        }
    }

    @Test
    void aSilentTerminalIsEndedOnceAndTold() throws Exception {
        world.hook(HookRoutesTest.event("SessionStart", ""));
        pass(SILENCE);
        world.hooks.endSilent();
        assertThat(isActive()).as("not silent for longer than that").isTrue();

        pass(Duration.ofMillis(1));
        world.hooks.endSilent();
        world.hooks.endSilent();

        assertThat(isActive()).isFalse();
        assertThat(log())
                .filteredOn(event -> event.type() == EventType.LIFECYCLE)
                .singleElement()
                .satisfies(
                        event ->
                                assertThat(event.data()).hasToString("{\"action\":\"timed_out\"}"));
        assertThat(world.told).extracting(HookSession::isActive).containsExactly(true, false);
        assertThat(world.get("/api/hooks/sessions").body()).contains("\"status\":\"ended\"");
    }

    @Test
    void theNextEventMakesItActiveAgain() throws Exception {
        world.hook(HookRoutesTest.event("SessionStart", ""));
        pass(SILENCE.plusMillis(1));
        world.hooks.endSilent();
        world.hook(HookRoutesTest.event("UserPromptSubmit", ",\"prompt\":\"still here\""));
        world.hooks.endSilent();

        assertThat(isActive()).isTrue();
    }

    @Test
    void aTerminalThatWaitsForAnAnswerIsNotSilent() throws Exception {
        var waiting =
                world.asksPlainly(
                        HookRoutesTest.event(
                                "PermissionRequest", ",\"tool_name\":\"Bash\",\"tool_input\":{}"));
        pass(SILENCE.plusMillis(1));
        world.hooks.endSilent();

        assertThat(isActive()).isTrue();
        world.decide(waiting.approval(), "{\"decision\":\"approved\"}");
    }
}
