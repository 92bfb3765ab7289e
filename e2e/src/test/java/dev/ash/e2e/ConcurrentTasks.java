package dev.ash.e2e;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;

/** Runs the same task several times concurrently. */
public final class ConcurrentTasks {
    public interface Task<T> {
        T run(int number) throws Exception;
    }

    /** Runs all tasks concurrently; returns their results in order. */
    public static <T> List<T> runAll(int count, Task<T> task) throws Exception {
        return run(count, count, task);
    }

    /** Runs {@code count} tasks, at most {@code maxConcurrent} of them concurrently. */
    static <T> List<T> run(int count, int maxConcurrent, Task<T> task) throws Exception {
        var calls = new ArrayList<Callable<T>>();
        for (int i = 0; i < count; i++) {
            var number = i;
            calls.add(() -> task.run(number));
        }
        var results = new ArrayList<T>();
        try (var threads =
                Executors.newFixedThreadPool(maxConcurrent, Thread.ofVirtual().factory())) {
            for (var done : threads.invokeAll(calls)) {
                results.add(done.get());
            }
        } catch (ExecutionException e) {
            if (e.getCause() instanceof AssertionError failure) {
                throw failure;
            }
            throw e;
        }
        return results;
    }

    private ConcurrentTasks() {}
}
