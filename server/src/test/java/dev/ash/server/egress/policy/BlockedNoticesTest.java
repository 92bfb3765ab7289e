package dev.ash.server.egress.policy;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class BlockedNoticesTest {
    private final AtomicLong time = new AtomicLong();
    private final List<Blocked> told = new ArrayList<>();
    private final BlockedNotices notices = new BlockedNotices(told::add, time::get);

    @Test
    void aHostIsToldOncePerMinute() {
        var blocked = new Blocked("evil.example", 443, "no");

        notices.blocked(blocked);
        notices.blocked(blocked);
        notices.blocked(new Blocked("other.example", 443, "no"));
        assertThat(told).hasSize(2);

        time.addAndGet(Duration.ofMinutes(1).toNanos());
        notices.blocked(blocked);
        assertThat(told).hasSize(3).endsWith(blocked);
    }

    @Test
    void aFloodOfHostsIsCutShort() {
        for (int i = 0; i < 10_000; i++) {
            notices.blocked(new Blocked("h" + i + ".example", 443, "no"));
        }

        assertThat(told).hasSize(60);
    }
}
