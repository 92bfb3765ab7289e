package dev.ash.server.approval;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.ash.protocol.bridge.BridgeCommand.Approve;
import dev.ash.server.event.EventType;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SweeperTest {
    @TempDir Path folder;
    private World world;

    @BeforeEach
    void open() {
        world = new World(folder);
        world.timeToLive = Optional.of(Duration.ofMinutes(10));
        world.make();
        world.answers.start();
    }

    @AfterEach
    void close() {
        world.close();
    }

    private void awaitStatus(int index, String status) {
        await().atMost(Duration.ofSeconds(20))
                .until(() -> world.all().get(index).status().equals(status));
    }

    @Test
    void letsAQuestionExpireWhenTheClockSaysSo() {
        var bridge = world.bridge();
        bridge.asks("q1", "Bash", "{}");
        assertThat(world.only().expiresAt()).isEqualTo("2023-11-14T22:23:20.000Z");

        world.clock.add(Duration.ofMinutes(10));
        awaitStatus(0, "expired");
        await().atMost(Duration.ofSeconds(20)).until(() -> world.hasHandedOver());
        world.settle();

        assertThat(world.only().decidedBy()).isEqualTo("expiry");
        assertThat(bridge.taken)
                .containsExactly(
                        new Approve(
                                "q1",
                                false,
                                null,
                                "Nobody answered in time, so this was not done."));
        assertThat(world.logged())
                .containsExactly(EventType.APPROVAL_REQUIRED, EventType.APPROVAL_RESOLVED);
    }

    @Test
    void isNeitherHurriedNorStoppedByAClockThatIsSetBackAndForward() {
        var bridge = world.bridge();
        bridge.asks("early", "Bash", "{\"a\":1}");
        world.clock.add(Duration.ofDays(-1)); // the second is due long before the first
        bridge.asks("late", "Bash", "{\"a\":2}");

        world.clock.add(Duration.ofMinutes(10));
        await().atMost(Duration.ofSeconds(20)).until(() -> world.pending().size() == 1);
        assertThat(world.pending().getFirst().toolUseId()).isEqualTo("use-early");

        world.clock.add(Duration.ofDays(30));
        await().atMost(Duration.ofSeconds(20)).until(() -> world.pending().isEmpty());
    }

    @Test
    void letsExpireWhatCameDueWhileNoServerRan() {
        world.bridge().asks("q1", "Bash", "{}");
        world.timeToLive = Optional.empty();
        world.restart();
        world.clock.add(Duration.ofHours(1));
        world.answers.start();

        awaitStatus(0, "expired");
    }
}
