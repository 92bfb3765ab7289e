package dev.ash.e2e;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;

/** Many of the same at the same time. */
public final class AtOnce {
    public interface Task<T> {
        T run(int number) throws Exception;
    }

    /** All of them together; what they return, by number. */
    public static <T> List<T> all(int count, Task<T> task) throws Exception {
        return some(count, count, task);
    }

    /** So many, but never more than {@code width} of them together. */
    static <T> List<T> some(int count, int width, Task<T> task) throws Exception {
        var calls = new ArrayList<Callable<T>>();
        for (int i = 0; i < count; i++) {
            var number = i;
            calls.add(() -> task.run(number));
        }
        var results = new ArrayList<T>();
        try (var threads = Executors.newFixedThreadPool(width, Thread.ofVirtual().factory())) {
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

    private AtOnce() {}
}
