package dev.ash.server.approval;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.protocol.SessionId;
import java.util.concurrent.Semaphore;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class DeliveryLimitTest {
    @Test
    void limitsPendingDeliveriesPerSession() {
        var deliveries = Approvals.deliveries();
        var blocked = new Semaphore(0);
        var session = SessionId.random();

        var accepted =
                IntStream.range(0, 1100)
                        .mapToObj(_ -> deliveries.submit(session, blocked::acquireUninterruptibly))
                        .toList();

        assertThat(accepted.subList(0, 1024)).doesNotContain(false);
        assertThat(accepted.subList(1024, 1100)).doesNotContain(true);
        assertThat(deliveries.submit(SessionId.random(), blocked::acquireUninterruptibly)).isTrue();
        blocked.release(1100);
    }
}
