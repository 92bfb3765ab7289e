package dev.ash.bench.turn;

import dev.ash.bench.server.BenchSession;
import dev.ash.bench.server.EventReader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Single events of the stand-in bridge. They contain the time of {@code CLOCK_MONOTONIC}, which
 * {@link System#nanoTime} uses too and which Linux shares between processes.
 */
public final class PublishedEvents {
    private static final Pattern AT = Pattern.compile("\"at\":(\\d+)");

    /** Returns the milliseconds from the write of each event to the subscriber's read. */
    public static List<Double> measure(
            BenchSession session, EventReader subscriber, int count, int gapMs)
            throws IOException, InterruptedException {
        session.prompt("PUBLISH %d %d".formatted(count, gapMs));
        var millis = new ArrayList<Double>();
        for (int i = 0; i < count; i++) {
            var event = subscriber.next();
            millis.add(millisSince(writtenAt(event.data()), System.nanoTime()));
        }
        subscriber.nextId(); // done
        return millis;
    }

    /** Returns when the bridge wrote an event. */
    public static long writtenAt(String data) throws IOException {
        var at = AT.matcher(data);
        if (!at.find()) {
            throw new IOException("no time in " + data);
        }
        return Long.parseLong(at.group(1));
    }

    public static double millisSince(long written, long read) throws IOException {
        double millis = (read - written) / 1e6;
        if (millis < 0 || millis > 60_000) {
            throw new IOException("the processes do not share a clock");
        }
        return millis;
    }

    private PublishedEvents() {}
}
