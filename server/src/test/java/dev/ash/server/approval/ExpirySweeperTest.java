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

class ExpirySweeperTest {
    @TempDir Path directory;
    private ApprovalFixture fixture;

    @BeforeEach
    void open() {
        fixture = new ApprovalFixture(directory);
        fixture.timeToLive = Optional.of(Duration.ofMinutes(10));
        fixture.createApprovals();
        fixture.answers.start();
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    private void awaitStatus(int index, String status) {
        await().atMost(Duration.ofSeconds(20))
                .until(() -> fixture.all().get(index).status().equals(status));
    }

    @Test
    void expiresOverdueQuestion() {
        var bridge = fixture.bridge();
        bridge.ask("q1", "Bash", "{}");
        assertThat(fixture.only().expiresAt()).isEqualTo("2023-11-14T22:23:20.000Z");

        fixture.clock.add(Duration.ofMinutes(10));
        awaitStatus(0, "expired");
        await().atMost(Duration.ofSeconds(20)).until(() -> fixture.hasPendingDeliveries());
        fixture.runDeliveries();

        assertThat(fixture.only().decidedBy()).isEqualTo("expiry");
        assertThat(bridge.accepted)
                .containsExactly(
                        new Approve(
                                "q1",
                                false,
                                null,
                                "This was not executed: no answer was given in time."));
        assertThat(fixture.logged())
                .containsExactly(EventType.APPROVAL_REQUIRED, EventType.APPROVAL_RESOLVED);
    }

    @Test
    void toleratesClockChanges() {
        var bridge = fixture.bridge();
        bridge.ask("early", "Bash", "{\"a\":1}");
        fixture.clock.add(Duration.ofDays(-1)); // the second is due long before the first
        bridge.ask("late", "Bash", "{\"a\":2}");

        fixture.clock.add(Duration.ofMinutes(10));
        await().atMost(Duration.ofSeconds(20)).until(() -> fixture.pending().size() == 1);
        assertThat(fixture.pending().getFirst().toolUseId()).isEqualTo("use-early");

        fixture.clock.add(Duration.ofDays(30));
        await().atMost(Duration.ofSeconds(20)).until(() -> fixture.pending().isEmpty());
    }

    @Test
    void expiresQuestionsThatBecameOverdueWhileStopped() {
        fixture.bridge().ask("q1", "Bash", "{}");
        fixture.timeToLive = Optional.empty();
        fixture.restart();
        fixture.clock.add(Duration.ofHours(1));
        fixture.answers.start();

        awaitStatus(0, "expired");
    }
}
