package dev.ash.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.protocol.SandboxId;
import java.time.Duration;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class SandboxRemoverTest {
    private final LinkedBlockingQueue<SandboxId> removed = new LinkedBlockingQueue<>();

    @Test
    void removesWhenNothingHappens() throws Exception {
        try (var remover = new SandboxRemover(removed::add)) {
            var id = SandboxId.random();

            remover.removeSoon(id);

            assertThat(removed.poll(30, TimeUnit.SECONDS)).isEqualTo(id);
        }
    }

    @Test
    void waitsOnlyForLimitedTime() throws Exception {
        var quiet = Duration.ofHours(1);
        try (var remover = new SandboxRemover(removed::add, quiet, Duration.ofMillis(10))) {
            remover.recordActivity();

            remover.removeSoon(SandboxId.random());

            assertThat(removed.poll(30, TimeUnit.SECONDS)).isNotNull();
        }
    }

    @Test
    void waitsUntilThereIsNoActivity() throws Exception {
        var hour = Duration.ofHours(1);
        try (var remover = new SandboxRemover(removed::add, hour, hour)) {
            remover.recordActivity();

            remover.removeSoon(SandboxId.random());

            assertThat(removed.poll(100, TimeUnit.MILLISECONDS)).isNull();
        }
        assertThat(removed).hasSize(1);
    }

    @Test
    void completesPendingRemovalsWhenClosed() {
        var remover = new SandboxRemover(removed::add);
        remover.recordActivity();
        for (int i = 0; i < 10; i++) {
            remover.removeSoon(SandboxId.random());
        }

        remover.close();

        assertThat(removed).hasSize(10);
    }

    @Test
    void continuesAfterFailedRemoval() throws Exception {
        var failing = SandboxId.random();
        try (var remover =
                new SandboxRemover(
                        id -> {
                            if (id.equals(failing)) {
                                throw new IllegalStateException("cannot be removed");
                            }
                            removed.add(id);
                        })) {
            var next = SandboxId.random();
            remover.removeSoon(failing);
            remover.removeSoon(next);

            assertThat(removed.poll(30, TimeUnit.SECONDS)).isEqualTo(next);
        }
    }
}
