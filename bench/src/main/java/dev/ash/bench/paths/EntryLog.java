package dev.ash.bench.paths;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The recorded method entries of this JVM. Transformed methods call {@link #enter}, so it is static
 * and calls no transformed code.
 */
public final class EntryLog {
    private static final int MAX_ENTRIES = 1 << 21;

    /** A method that is entered again on the same thread within this time is not recorded again. */
    private static final long REPEAT_NANOS = 200_000;

    private static final int SLOTS = 1 << 16;

    private static final List<String> METHODS = new ArrayList<>();
    private static final Map<Long, String> THREADS = new ConcurrentHashMap<>();
    private static final long[] TIMES = new long[MAX_ENTRIES];
    private static final long[] THREAD_IDS = new long[MAX_ENTRIES];
    private static final int[] METHOD_NUMBERS = new int[MAX_ENTRIES];
    private static final long[] LAST_TIMES = new long[SLOTS];
    private static final AtomicInteger COUNT = new AtomicInteger();
    private static volatile boolean recording;

    /** Returns the number of a method, which is described as {@code class TAB kind}. */
    static int add(String description) {
        synchronized (METHODS) {
            METHODS.add(description);
            return METHODS.size() - 1;
        }
    }

    /** Called at the start of every transformed method. */
    public static void enter(int method) {
        if (!recording) {
            return;
        }
        long now = System.nanoTime();
        var thread = Thread.currentThread();
        int slot = slot(method, thread.threadId());
        if (now - LAST_TIMES[slot] < REPEAT_NANOS) {
            return; // a race loses at most one repeated entry
        }
        LAST_TIMES[slot] = now;
        int index = COUNT.getAndIncrement();
        if (index < MAX_ENTRIES) {
            TIMES[index] = now;
            THREAD_IDS[index] = thread.threadId();
            METHOD_NUMBERS[index] = method;
            THREADS.putIfAbsent(thread.threadId(), thread.getName());
        }
    }

    private static int slot(int method, long thread) {
        long key = method + (thread << 20);
        return (int) ((key * 0x9E3779B97F4A7C15L) >>> 48); // the high bits are mixed best
    }

    static void start() {
        COUNT.set(0);
        java.util.Arrays.fill(LAST_TIMES, System.nanoTime() - REPEAT_NANOS);
        recording = true;
    }

    /** Stops the recording and returns a line for each entry. */
    static List<String> stop() {
        recording = false;
        int count = Math.min(COUNT.get(), MAX_ENTRIES);
        var lines = new ArrayList<String>(count);
        synchronized (METHODS) {
            for (int i = 0; i < count; i++) {
                if (TIMES[i] != 0) {
                    lines.add(
                            TIMES[i]
                                    + "\t"
                                    + THREADS.getOrDefault(THREAD_IDS[i], "")
                                    + "\t"
                                    + METHODS.get(METHOD_NUMBERS[i]));
                }
            }
        }
        return lines;
    }

    private EntryLog() {}
}
