package dev.ash.sandbox;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Makes the warm sandboxes that are wished for, one at a time, on a thread of its own. Its monitor
 * guards the wishes; it may ask {@link Places} while it has it, and never the other way round.
 */
final class Warmer {
    private static final Duration LONGEST_DELAY = Duration.ofMinutes(5);

    private final Places places;
    private final Duration firstDelay;
    private final Start start;
    private final Map<WarmKey, Wish> wishes = new LinkedHashMap<>();
    private @Nullable Thread thread;
    private boolean closed;

    /** Launches a warm sandbox; a failure has been noted when this returns. */
    interface Start {
        void warm(Place place, WarmKey key, Map<String, String> ashEnvironment);
    }

    /** How many of a kind there should be, and how often in a row one was lost. */
    private static final class Wish {
        private final Map<String, String> ashEnvironment;
        private final int count;
        private int losses;
        private long notBefore = System.nanoTime();

        private Wish(Map<String, String> ashEnvironment, int count) {
            this.ashEnvironment = Map.copyOf(ashEnvironment);
            this.count = count;
        }
    }

    private record Task(Place place, WarmKey key, Wish wish) {}

    Warmer(Places places, Duration firstDelay, Start start) {
        this.places = places;
        this.firstDelay = firstDelay;
        this.start = start;
    }

    synchronized void wish(WarmKey key, Map<String, String> environment, int count) {
        if (count <= 0) {
            wishes.remove(key);
            return;
        }
        var wish = new Wish(environment, count);
        var before = wishes.put(key, wish);
        if (before != null) { // said again, as after a restart of what says it: no new hope
            wish.losses = before.losses;
            wish.notBefore = before.notBefore;
        }
        if (thread == null && !closed) {
            thread = Thread.ofVirtual().name("warmer").start(this::run);
        }
        notifyAll();
    }

    synchronized void forget(Predicate<WarmKey> matches) {
        wishes.keySet().removeIf(matches);
    }

    /** There may be room, or one less. */
    synchronized void wake() {
        notifyAll();
    }

    /** One was of use, so the next is made at once. */
    synchronized void claimed(WarmKey key) {
        var wish = wishes.get(key);
        if (wish != null) {
            wish.losses = 0;
            wish.notBefore = System.nanoTime();
        }
        notifyAll();
    }

    /** One did not start, or died before it was of use: the next has to wait, longer each time. */
    synchronized void lost(WarmKey key) {
        var wish = wishes.get(key);
        if (wish != null) {
            long delay = firstDelay.toNanos() << Math.min(wish.losses++, 20);
            wish.notBefore = System.nanoTime() + Math.min(delay, LONGEST_DELAY.toNanos());
        }
        notifyAll();
    }

    synchronized void close() {
        closed = true;
        notifyAll();
    }

    /** After {@link #close}, and once what it was starting has been ended. */
    void join() {
        Thread running;
        synchronized (this) {
            running = thread;
        }
        try {
            if (running != null) {
                running.join();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void run() {
        try {
            for (var task = next(); task != null; task = next()) {
                start.warm(task.place, task.key, task.wish.ashEnvironment);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // nobody does that
        }
    }

    private synchronized @Nullable Task next() throws InterruptedException {
        while (!closed) {
            long now = System.nanoTime();
            long wait = LONGEST_DELAY.toNanos();
            for (var entry : wishes.entrySet()) {
                var wish = entry.getValue();
                if (wish.notBefore - now > 0) {
                    wait = Math.min(wait, wish.notBefore - now);
                    continue;
                }
                var place = places.takeWarm(entry.getKey(), wish.count);
                if (place.isPresent()) {
                    return turn(new Task(place.get(), entry.getKey(), wish));
                }
            }
            wait(Math.max(1, Duration.ofNanos(wait).toMillis()));
        }
        return null;
    }

    /** To the end of the line, so that every agent gets its turn. */
    private Task turn(Task task) {
        wishes.remove(task.key);
        wishes.put(task.key, task.wish);
        return task;
    }
}
