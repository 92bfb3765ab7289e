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
 * Kills the session core at its kill points in many random runs, and compares the stored data with
 * the responses that clients got. {@code -Dash.crash.seeds=N} sets the number of runs for each
 * point; with more than 50 it uses all points instead of a few. {@code -Dash.crash.point=X
 * -Dash.crash.seed=N} repeats one run, {@code -Dash.crash.times=T} several times, since the timing
 * of threads differs.
 */
class CrashSuiteTest {
    private static final int PARALLEL_RUNS = Integer.getInteger("ash.crash.parallel", 6);
    private static final int MAX_REPORTED = 20;
    private static final int SHORT_SUITE = 50;
    private static final int SEEDS = Integer.getInteger("ash.crash.seeds", SHORT_SUITE);
    private static final String POINTS = System.getProperty("ash.crash.point");
    private static final Long SEED = Long.getLong("ash.crash.seed");
    // Thousands of servers are killed here, and each would log it.
    private static final List<Logger> SILENCED =
            List.of(Logger.getLogger("ash"), Logger.getLogger("org.flywaydb"));

    private final Map<String, AtomicInteger> reachedPoints = new ConcurrentHashMap<>();
    private final AtomicInteger done = new AtomicInteger();
    private final List<String> failures = new ArrayList<>();

    @Test
    void losesAndRepeatsNothingAcrossKills() throws Exception {
        ServerLifetime.installProbe();
        SILENCED.forEach(logger -> logger.setLevel(Level.OFF));
        var root = Files.isDirectory(Path.of("/dev/shm")) ? Path.of("/dev/shm") : null;
        var directory =
                root == null
                        ? Files.createTempDirectory("ash-crash")
                        : Files.createTempDirectory(root, "ash-crash");
        long begin = System.nanoTime();
        try {
            var template = CrashServer.Template.create(directory);
            runAll(template, directory);
        } finally {
            remove(directory);
        }
        System.out.printf(
                "crash suite: %s in %.1f s%n", reachedPoints, (System.nanoTime() - begin) / 1e9);
        assertThat(failures.stream().limit(MAX_REPORTED))
                .as("%d failures", failures.size())
                .isEmpty();
        if (SEEDS >= SHORT_SUITE && POINTS == null && SEED == null) {
            assertThat(reachedPoints.keySet())
                    .as("points at which a server was killed")
                    .containsAll(CrashPlan.REPRESENTATIVE_POINTS);
        }
    }

    private static List<String> points() {
        if (POINTS != null) {
            return List.of(POINTS.split(","));
        }
        return SEEDS > SHORT_SUITE ? CrashPlan.points() : CrashPlan.REPRESENTATIVE_POINTS;
    }

    private void runAll(CrashServer.Template template, Path directory) throws Exception {
        var points = points();
        int times = Integer.getInteger("ash.crash.times", 1);
        long from = SEED == null ? 0 : SEED;
        long to = SEED == null ? SEEDS : SEED + 1;
        var permits = new Semaphore(PARALLEL_RUNS);
        try (var executor = Executors.newVirtualThreadPerTaskExecutor()) {
            var runs = new ArrayList<Future<?>>();
            for (long s = from; s < to; s++) {
                for (var point : points) {
                    for (int i = 0; i < times; i++) {
                        long chosen = s;
                        permits.acquire();
                        runs.add(
                                executor.submit(
                                        () -> {
                                            try {
                                                run(template, directory, point, chosen);
                                            } finally {
                                                permits.release();
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

    private void run(CrashServer.Template template, Path directory, String point, long seed)
            throws IOException {
        var runDirectory = Files.createTempDirectory(directory, "run");
        try {
            long begin = System.nanoTime();
            var result = new CrashRun(point, seed, template, runDirectory).run();
            if (Boolean.getBoolean("ash.crash.verbose")) {
                System.out.printf(
                        "%s %d %d ms%n", point, seed, (System.nanoTime() - begin) / 1_000_000);
            }
            int finished = done.incrementAndGet();
            if (finished % 1000 == 0) {
                System.out.printf("%,d crash runs, %d failures%n", finished, failures.size());
            }
            if (result.reachedPoint()) {
                reachedPoints.computeIfAbsent(point, _ -> new AtomicInteger()).incrementAndGet();
            }
            if (!result.violations().isEmpty()) {
                var report =
                        "-Dash.crash.point=%s -Dash.crash.seed=%d%n  %s"
                                .formatted(point, seed, String.join("\n  ", result.violations()));
                System.out.println(report);
                synchronized (failures) {
                    failures.add(report);
                }
            }
        } finally {
            remove(runDirectory);
        }
    }

    private static void remove(Path directory) throws IOException {
        try (var files = Files.walk(directory)) {
            for (var file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        }
    }
}
