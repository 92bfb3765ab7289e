package dev.ash.e2e.gateway;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** Drops connections a given number of times, each at a random {@link DropPoint}. */
final class RandomDrops implements DroppingPhone.Drops {
    private static final List<DropPoint> FREQUENT =
            List.of(
                    DropPoint.FRAME_RECEIVED,
                    DropPoint.FRAME_RECEIVED,
                    DropPoint.FRAME_RECEIVED,
                    DropPoint.STREAMING,
                    DropPoint.STREAMING);
    private static final int MAX_SKIPPED = 40;

    private final Random random;
    private final Map<DropPoint, Integer> done = new EnumMap<>(DropPoint.class);
    private DropPoint next = DropPoint.NEVER;
    private int after;
    private int left;

    RandomDrops(Random random, int count) {
        this.random = random;
        this.left = count;
    }

    /** Starts dropping connections. */
    synchronized void begin() {
        next = DropPoint.FRAME_RECEIVED; // requires a connection before the first random point
        after = 0;
    }

    synchronized void pause() {
        next = DropPoint.NEVER;
    }

    private void draw() {
        if (left == 0) {
            next = DropPoint.NEVER;
            return;
        }
        var points = DropPoint.values();
        int drawn = random.nextInt(points.length - 1 + FREQUENT.size());
        next = drawn < points.length - 1 ? points[drawn] : FREQUENT.get(drawn - points.length + 1);
        after =
                switch (next) {
                    case FRAME_RECEIVED, STREAMING, PING_RECEIVED, PONG_SENT ->
                            random.nextInt(1 + random.nextInt(MAX_SKIPPED));
                    default -> 0;
                };
    }

    @Override
    public synchronized boolean dropNow(DropPoint point) {
        if (point != next || after-- > 0) {
            return false;
        }
        done.merge(point, 1, Integer::sum);
        left--;
        draw();
        return true;
    }

    synchronized int left() {
        return left;
    }

    @Override
    public synchronized String toString() {
        return done.toString();
    }
}
