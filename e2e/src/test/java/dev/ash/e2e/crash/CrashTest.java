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
 * Kills real servers at every {@code KillPoint} and at random times. {@code
 * -Dash.crash.point=PROMPT_SENT -Dash.crash.seed=17} repeats one run; {@code -Dash.crash.seeds=40}
 * runs every point 40 times. The default is one run for each of a few points.
 */
@Busy
@Order(1) // the slowest class starts first
class CrashTest {
    // Runs are idle half of the time, and two other classes run concurrently.
    private static final int CONCURRENT_RUNS = Integer.getInteger("ash.crash.parallel", 2);

    private final List<String> violations = Collections.synchronizedList(new ArrayList<>());
    private final Map<String, Integer> reached = Collections.synchronizedMap(new TreeMap<>());
    private final AtomicInteger runs = new AtomicInteger();

    @Test
    @Timeout(value = 3, unit = TimeUnit.HOURS)
    void losesAndRepeatsNothingWhenServersDie() throws Exception {
        var plans = plans();
        long begun = System.nanoTime();
        try (var pool = Executors.newFixedThreadPool(CONCURRENT_RUNS)) {
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
                        : seeds == null || seeds < 4 ? Plan.SAMPLE_POINTS : Plan.points();
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
            if (died > plan.deathsBeforePoint()) {
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
