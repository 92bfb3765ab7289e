package dev.ash.server.egress.policy;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Tests the rate limits of reports. */
class BlockedRequestReporterTest {
    private final AtomicLong time = new AtomicLong();
    private final List<BlockedRequest> reports = new ArrayList<>();
    private final BlockedRequestReporter reporter =
            new BlockedRequestReporter(reports::add, time::get);

    @Test
    void reportsEachHostOncePerMinute() {
        var blocked = new BlockedRequest("evil.example", 443, "no");

        reporter.report(blocked);
        reporter.report(blocked);
        reporter.report(new BlockedRequest("other.example", 443, "no"));
        assertThat(reports).hasSize(2);

        time.addAndGet(Duration.ofMinutes(1).toNanos());
        reporter.report(blocked);
        assertThat(reports).hasSize(3).endsWith(blocked);
    }

    @Test
    void limitsNumberOfReports() {
        for (int i = 0; i < 10_000; i++) {
            reporter.report(new BlockedRequest("h" + i + ".example", 443, "no"));
        }

        assertThat(reports).hasSize(60);
    }
}
