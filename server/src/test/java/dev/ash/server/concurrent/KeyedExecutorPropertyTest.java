package dev.ash.server.concurrent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.server.concurrent.KeyedExecutor.Limits;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/** Submits from several threads concurrently, with limits that are often reached. */
class KeyedExecutorPropertyTest {
    private static final int SUBMITTERS = 4;
    private static final int TASKS = 200;

    /** One task, by the thread that submits it. */
    private record SubmittedTask(int submitter, int number) {}

    /** Records which tasks run, and whether they violate a limit. */
    private static final class Recorder {
        private final int maxWeight;
        private final Map<Integer, List<SubmittedTask>> ran = new ConcurrentHashMap<>();
        private final Map<Integer, AtomicInteger> running = new ConcurrentHashMap<>();
        private final AtomicInteger weight = new AtomicInteger();
        private final AtomicInteger violations = new AtomicInteger();

        private Recorder(int maxWeight) {
            this.maxWeight = maxWeight;
        }

        private void run(int key, int size, SubmittedTask task) {
            var ofKey = running.computeIfAbsent(key, _ -> new AtomicInteger());
            boolean isAlone = ofKey.incrementAndGet() == 1;
            boolean isLight = weight.addAndGet(size) <= maxWeight;
            if (!isAlone || !isLight) {
                violations.incrementAndGet();
            }
            ran.computeIfAbsent(key, _ -> new ArrayList<>()).add(task);
            Thread.yield();
            weight.addAndGet(-size);
            ofKey.decrementAndGet();
        }

        private List<SubmittedTask> of(int key, int submitter) {
            return ran.getOrDefault(key, List.of()).stream()
                    .filter(task -> task.submitter() == submitter)
                    .toList();
        }
    }

    @Property(tries = 60)
    void runsEachAcceptedTaskOnceInOrderWithinLimits(
            @ForAll @IntRange(min = 1, max = 6) int keys,
            @ForAll @IntRange(min = 1, max = 6) int maxKeys,
            @ForAll @IntRange(min = 1, max = 40) int maxTasks,
            @ForAll @IntRange(min = 3, max = 40) int maxWeight,
            @ForAll long seed)
            throws Exception {
        var limits = Limits.total(maxKeys, maxTasks, maxWeight);
        var executor = new KeyedExecutor<Integer>("test", limits);
        var recorder = new Recorder(maxWeight);
        var start = new CyclicBarrier(SUBMITTERS);
        List<Callable<Map<Integer, List<SubmittedTask>>>> submitters =
                IntStream.range(0, SUBMITTERS)
                        .<Callable<Map<Integer, List<SubmittedTask>>>>mapToObj(
                                submitter ->
                                        () -> {
                                            start.await(20, TimeUnit.SECONDS);
                                            var random = new Random(seed + submitter);
                                            return submit(
                                                    executor, recorder, submitter, keys, random);
                                        })
                        .toList();

        var accepted = new ArrayList<Map<Integer, List<SubmittedTask>>>();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (var each : threads.invokeAll(submitters)) {
                accepted.add(each.get());
            }
        }
        awaitIdle(executor, keys);

        assertThat(recorder.violations).hasValue(0);
        assertThat(accepted).anyMatch(tasks -> !tasks.isEmpty());
        for (int key = 0; key < keys; key++) {
            for (int submitter = 0; submitter < SUBMITTERS; submitter++) {
                assertThat(recorder.of(key, submitter))
                        .isEqualTo(accepted.get(submitter).getOrDefault(key, List.of()));
            }
        }
    }

    /** Returns the accepted tasks of each key. */
    private static Map<Integer, List<SubmittedTask>> submit(
            KeyedExecutor<Integer> executor,
            Recorder recorder,
            int submitter,
            int keys,
            Random random) {
        var accepted = new HashMap<Integer, List<SubmittedTask>>();
        for (int number = 0; number < TASKS; number++) {
            int key = random.nextInt(keys);
            int size = random.nextInt(4);
            var task = new SubmittedTask(submitter, number);
            if (executor.submit(key, size, () -> recorder.run(key, size, task))) {
                accepted.computeIfAbsent(key, _ -> new ArrayList<>()).add(task);
            } else {
                Thread.yield();
            }
        }
        return accepted;
    }

    /** A key is idle when a task behind all its others has run. */
    private static void awaitIdle(KeyedExecutor<Integer> executor, int keys) throws Exception {
        for (int key = 0; key < keys; key++) {
            var last = new CountDownLatch(1);
            while (!executor.submit(key, last::countDown)) {
                Thread.yield(); // until the tasks before it have run
            }
            assertThat(last.await(20, TimeUnit.SECONDS)).isTrue();
        }
    }
}
