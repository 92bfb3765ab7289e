package dev.ash.server.session.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;

/**
 * Kills the session core at every labelled point, many times, each time in another story, and holds
 * what is left against what clients were told. {@code -Dash.crash.seeds=N} says how many stories
 * for each point, and above 50 takes all points and not only a few; {@code -Dash.crash.point=X
 * -Dash.crash.seed=N} tells one of them again, {@code -Dash.crash.times=T} so many times, for the
 * timing of threads differs.
 */
class CrashSuiteTest {
    private static final int AT_ONCE = Integer.getInteger("ash.crash.parallel", 6);
    private static final int SHOWN = 20;
    private static final int SHORT = 50;
    private static final int SEEDS = Integer.getInteger("ash.crash.seeds", SHORT);
    private static final String ONE = System.getProperty("ash.crash.point");
    private static final Long SEED = Long.getLong("ash.crash.seed");
    // Thousands of servers die here, and each would say so.
    private static final List<Logger> LOUD =
            List.of(Logger.getLogger("ash"), Logger.getLogger("org.flywaydb"));

    private final Map<String, AtomicInteger> crashed = new ConcurrentHashMap<>();
    private final AtomicInteger done = new AtomicInteger();
    private final List<String> failures = new ArrayList<>();

    @Test
    void nothingIsLostOrDoneTwice() throws Exception {
        CrashLife.watchKillPoints();
        LOUD.forEach(logger -> logger.setLevel(Level.OFF));
        var root = Files.isDirectory(Path.of("/dev/shm")) ? Path.of("/dev/shm") : null;
        var folder =
                root == null
                        ? Files.createTempDirectory("ash-crash")
                        : Files.createTempDirectory(root, "ash-crash");
        long begin = System.nanoTime();
        try {
            var template = CrashServer.Template.in(folder);
            runAll(template, folder);
        } finally {
            remove(folder);
        }
        System.out.printf(
                "crash suite: %s in %.1f s%n", crashed, (System.nanoTime() - begin) / 1e9);
        assertThat(failures.stream().limit(SHOWN)).as("%d failures", failures.size()).isEmpty();
        if (SEEDS >= SHORT && ONE == null && SEED == null) {
            assertThat(crashed.keySet())
                    .as("points at which a server died")
                    .containsAll(CrashPlan.FEW);
        }
    }

    private static List<String> points() {
        if (ONE != null) {
            return List.of(ONE.split(","));
        }
        return SEEDS > SHORT ? CrashPlan.points() : CrashPlan.FEW;
    }

    private void runAll(CrashServer.Template template, Path folder) throws Exception {
        var points = points();
        int times = Integer.getInteger("ash.crash.times", 1);
        long from = SEED == null ? 0 : SEED;
        long to = SEED == null ? SEEDS : SEED + 1;
        var places = new Semaphore(AT_ONCE);
        try (var all = Executors.newVirtualThreadPerTaskExecutor()) {
            var runs = new ArrayList<Future<?>>();
            for (long s = from; s < to; s++) {
                for (var point : points) {
                    for (int i = 0; i < times; i++) {
                        long chosen = s;
                        places.acquire();
                        runs.add(
                                all.submit(
                                        () -> {
                                            try {
                                                run(template, folder, point, chosen);
                                            } finally {
                                                places.release();
                                            }
                                            return null;
                                        }));
                    }
                }
            }
            for (var run : runs) {
                try {
                    run.get();
                } catch (ExecutionException e) {
                    failures.add(CrashRun.trace(e));
                }
            }
        }
    }

    private void run(CrashServer.Template template, Path folder, String point, long seed)
            throws IOException {
        var own = Files.createTempDirectory(folder, "run");
        try {
            long begin = System.nanoTime();
            var result = new CrashRun(point, seed, template, own).run();
            if (Boolean.getBoolean("ash.crash.verbose")) {
                System.out.printf(
                        "%s %d %d ms%n", point, seed, (System.nanoTime() - begin) / 1_000_000);
            }
            int over = done.incrementAndGet();
            if (over % 1000 == 0) {
                System.out.printf("%,d crash runs, %d failures%n", over, failures.size());
            }
            if (result.crashed()) {
                crashed.computeIfAbsent(point, _ -> new AtomicInteger()).incrementAndGet();
            }
            if (!result.wrong().isEmpty()) {
                var told =
                        "-Dash.crash.point=%s -Dash.crash.seed=%d%n  %s"
                                .formatted(point, seed, String.join("\n  ", result.wrong()));
                System.out.println(told);
                synchronized (failures) {
                    failures.add(told);
                }
            }
        } finally {
            remove(own);
        }
    }

    private static void remove(Path folder) throws IOException {
        try (var files = Files.walk(folder)) {
            for (var file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        }
    }
}
