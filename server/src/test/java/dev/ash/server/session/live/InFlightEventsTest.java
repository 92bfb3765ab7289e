package dev.ash.server.session.live;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.protocol.TenantId;
import dev.ash.protocol.bridge.BridgeEvent;
import dev.ash.protocol.json.RawJson;
import dev.ash.server.memory.ByteBudget;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

class InFlightEventsTest {
    private final ByteBudget budget = new ByteBudget("tests", 100_000_000);
    private final InFlightEvents inFlight = new InFlightEvents(TenantId.DEFAULT, budget, _ -> {});
    private final Semaphore acquired = new Semaphore(0);

    private static BridgeEvent message(int bytes) {
        return new BridgeEvent.Message(RawJson.string("x".repeat(bytes - 2)));
    }

    /** Acquires events in a thread, which blocks at the limits. */
    private Thread acquireInThread(int count, int bytes) {
        var event = message(bytes);
        return Thread.ofVirtual()
                .start(
                        () -> {
                            try {
                                for (int i = 0; i < count; i++) {
                                    inFlight.acquire(event);
                                    acquired.release();
                                }
                            } catch (InterruptedException e) {
                                Thread.currentThread().interrupt();
                            }
                        });
    }

    private void awaitWaiting(Thread thread) {
        Awaitility.await()
                .atMost(Duration.ofMinutes(1))
                .until(() -> thread.getState() == Thread.State.WAITING);
    }

    @Test
    void limitsBytes() throws InterruptedException {
        var thread = acquireInThread(100, InFlightEvents.MAX_BYTES / 4);

        awaitWaiting(thread);

        assertThat(acquired.availablePermits()).isEqualTo(4);
        for (int i = 0; i < 100; i++) {
            acquired.acquire();
            inFlight.release();
        }
        thread.join();
    }

    @Test
    void limitsNumberOfEvents() {
        var thread = acquireInThread(1_000, 10);

        awaitWaiting(thread);

        assertThat(acquired.availablePermits()).isEqualTo(InFlightEvents.MAX_EVENTS);
        thread.interrupt();
    }

    @Test
    void admitsEventAboveLimitAlone() throws InterruptedException {
        inFlight.acquire(message(10));
        var thread = acquireInThread(2, InFlightEvents.MAX_BYTES + 1);
        awaitWaiting(thread);
        assertThat(acquired.availablePermits()).isZero();

        inFlight.release();
        acquired.acquire();
        awaitWaiting(thread);
        inFlight.release();
        thread.join();

        assertThat(acquired.availablePermits()).isEqualTo(1);
    }

    @Test
    void budgetsLargeLineFromReadingUntilStored() throws InterruptedException {
        inFlight.grow(1_000_000);
        inFlight.grow(2_000_000);
        assertThat(budget.free()).isEqualTo(98_000_000);

        inFlight.acquire(message(1_500_000));
        assertThat(budget.free()).isEqualTo(98_000_000);
        inFlight.acquire(message(10_000));
        assertThat(budget.free()).isEqualTo(97_990_000);

        inFlight.release();
        inFlight.release();
        assertThat(budget.free()).isEqualTo(100_000_000);
        inFlight.grow(1_000_000);
        inFlight.close();
        assertThat(budget.free()).isEqualTo(100_000_000);
    }
}
