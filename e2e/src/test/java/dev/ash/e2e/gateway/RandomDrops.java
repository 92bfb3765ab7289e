package dev.ash.e2e.gateway;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** Drops a connection so many times, each at a moment that is drawn when the last one is gone. */
final class RandomDrops implements DroppingPhone.Drops {
    private static final List<Moment> OFTEN =
            List.of(Moment.TOLD, Moment.TOLD, Moment.TOLD, Moment.STREAMING, Moment.STREAMING);
    private static final int FARTHEST = 40;

    private final Random random;
    private final Map<Moment, Integer> done = new EnumMap<>(Moment.class);
    private Moment next = Moment.NEVER;
    private int after;
    private int left;

    RandomDrops(Random random, int count) {
        this.random = random;
        this.left = count;
    }

    /** Until then it keeps its connections. */
    synchronized void begin() {
        next = Moment.TOLD; // whatever it is: there must be a connection before the next
        after = 0;
    }

    synchronized void pause() {
        next = Moment.NEVER;
    }

    private void draw() {
        if (left == 0) {
            next = Moment.NEVER;
            return;
        }
        var moments = Moment.values();
        int drawn = random.nextInt(moments.length - 1 + OFTEN.size());
        next = drawn < moments.length - 1 ? moments[drawn] : OFTEN.get(drawn - moments.length + 1);
        after =
                switch (next) {
                    case TOLD, STREAMING, PINGED, CONFIRMED ->
                            random.nextInt(1 + random.nextInt(FARTHEST));
                    default -> 0;
                };
    }

    @Override
    public synchronized boolean now(Moment moment) {
        if (moment != next || after-- > 0) {
            return false;
        }
        done.merge(moment, 1, Integer::sum);
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
