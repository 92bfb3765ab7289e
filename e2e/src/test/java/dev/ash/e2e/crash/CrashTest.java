package dev.ash.e2e.crash;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.e2e.Busy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Real servers that are killed at every {@code KillPoint} and at moments that have no name. One run
 * is repeated with {@code -Dash.crash.point=PROMPT_SENT -Dash.crash.seed=17}; {@code
 * -Dash.crash.seeds=40} makes that many runs of every point, and of a few points without it.
 */
@Busy
@Order(1) // the longest
class CrashTest {
    // They wait as much as they work, and two other classes run beside them.
    private static final int AT_ONCE = Integer.getInteger("ash.crash.parallel", 2);

    private final List<String> violations = Collections.synchronizedList(new ArrayList<>());
    private final Map<String, Integer> reached = Collections.synchronizedMap(new TreeMap<>());
    private final AtomicInteger runs = new AtomicInteger();

    @Test
    @Timeout(value = 3, unit = TimeUnit.HOURS)
    void nothingIsLostOrDoneTwiceWheneverAServerDies() throws Exception {
        var plans = plans();
        long begun = System.nanoTime();
        try (var pool = Executors.newFixedThreadPool(AT_ONCE)) {
            for (var plan : plans) {
                pool.execute(() -> run(plan, plans.size()));
            }
            pool.shutdown();
            assertThat(pool.awaitTermination(3, TimeUnit.HOURS)).isTrue();
        }
        System.out.printf(
                "%d crash runs, %d violations, %d s; reached: %s%n",
                runs.get(),
                violations.size(),
                Duration.ofNanos(System.nanoTime() - begun).toSeconds(),
                reached);
        assertThat(violations).as("runs in which something was lost or done twice").isEmpty();
        assertThat(reached.keySet())
                .as("points at which a server died")
                .containsAll(plans.stream().map(Plan::point).toList());
    }

    private static List<Plan> plans() {
        var point = System.getProperty("ash.crash.point");
        var seed = Long.getLong("ash.crash.seed");
        var seeds = Integer.getInteger("ash.crash.seeds");
        var points =
                point != null
                        ? List.of(point.split(","))
                        : seeds == null || seeds < 4 ? Plan.FEW : Plan.points();
        var chosen =
                seed != null
                        ? LongStream.of(seed)
                        : LongStream.rangeClosed(1, Objects.requireNonNullElse(seeds, 1));
        return chosen.boxed().flatMap(s -> points.stream().map(p -> Plan.of(p, s))).toList();
    }

    private void run(Plan plan, int of) {
        long begun = System.nanoTime();
        try {
            int died = new CrashRun(plan).run();
            if (died > plan.deathsBefore()) {
                reached.merge(plan.point(), 1, Integer::sum);
            }
            long ms = Duration.ofNanos(System.nanoTime() - begun).toMillis();
            System.out.printf("%,6d ms, %d servers died: %s%n", ms, died, plan);
        } catch (Exception | AssertionError e) {
            violations.add(plan.toString());
            synchronized (System.out) {
                System.out.println("violation in " + plan);
                e.printStackTrace(System.out);
            }
        }
        int done = runs.incrementAndGet();
        if (done % 10 == 0 || done == of) {
            System.out.printf("%d of %d crash runs, %d violations%n", done, of, violations.size());
        }
    }
}
