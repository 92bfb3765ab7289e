package dev.ash.bench.scale;

import dev.ash.bench.result.Curve;
import dev.ash.bench.result.Figure;
import dev.ash.bench.result.Summary;
import dev.ash.bench.run.Benchmark;
import dev.ash.bench.run.Measurement;
import dev.ash.bench.server.BenchSession;
import dev.ash.bench.server.EventReader;
import dev.ash.bench.server.ServerSettings;
import dev.ash.bench.turn.PublishedEvents;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;

/** One event to many subscribers of a session: until the median and until the last one has it. */
public final class Fanout implements Benchmark {
    private static final int[] SIZES = {1, 10, 100, 1_000, 5_000};
    private static final int GAP_MS = 250;
    private static final long END_OF_LOG = 1_000_000_000; // a number beyond the end

    @Override
    public String name() {
        return "fanout";
    }

    @Override
    public String description() {
        return "one event to 1 to 5 000 subscribers of one session";
    }

    @Override
    public void run(Measurement measurement) throws Exception {
        // The number of open requests of a tenant depends on the heap; 5 000 need 2.5 GB.
        var server = measurement.server(ServerSettings.standIn().with("ASH_HEAP_MB", "3072"));
        var session = server.session();
        var readers = new ArrayList<EventReader>();
        var medians = new ArrayList<Curve.Point>();
        var last = new ArrayList<Curve.Point>();
        var single = new ArrayList<Double>();
        int events = measurement.samples(20, 3);
        try {
            for (int size : SIZES) {
                measurement.progress("%d subscribers", size);
                while (readers.size() < size) {
                    readers.add(session.subscribe(END_OF_LOG));
                }
                round(session, readers, 3);
                var arrivals = round(session, readers, events);
                var typical = arrivals.stream().map(each -> Summary.of(each).p50()).toList();
                var latest = arrivals.stream().map(Fanout::max).toList();
                medians.add(Curve.Point.of(size, typical));
                last.add(Curve.Point.of(size, latest));
                if (size == 1) {
                    single.addAll(latest);
                } else {
                    measurement.record(
                            Figure.millis(
                                            "event to the last of %,d subscribers".formatted(size),
                                            Figure.STAND_IN,
                                            latest)
                                    .over("one subscriber", single));
                }
            }
        } finally {
            for (var reader : readers) {
                reader.close();
            }
        }
        measurement.release(server);
        measurement.record(
                new Curve(
                        "fanout",
                        "subscribers",
                        "ms from the bridge's write",
                        List.of(
                                new Curve.Series("median subscriber", medians),
                                new Curve.Series("last subscriber", last))));
    }

    private static double max(List<Double> values) {
        return values.stream().mapToDouble(Double::doubleValue).max().orElseThrow();
    }

    /** Returns for each event the milliseconds until each subscriber had read it. */
    private static List<List<Double>> round(
            BenchSession session, List<EventReader> readers, int events)
            throws IOException, InterruptedException {
        var tasks = new ArrayList<Callable<List<Double>>>();
        for (var reader : readers) {
            tasks.add(() -> read(reader, events));
        }
        var byEvent = new ArrayList<List<Double>>();
        for (int i = 0; i < events; i++) {
            byEvent.add(new ArrayList<>());
        }
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var results = tasks.stream().map(threads::submit).toList();
            session.prompt("PUBLISH %d %d".formatted(events, GAP_MS));
            for (var result : results) {
                var times = result.get();
                for (int i = 0; i < events; i++) {
                    byEvent.get(i).add(times.get(i));
                }
            }
        } catch (ExecutionException e) {
            throw new IOException(e.getCause());
        }
        return byEvent;
    }

    private static List<Double> read(EventReader reader, int events) throws IOException {
        var times = new ArrayList<Double>();
        for (int i = 0; i < events; i++) {
            var event = reader.next();
            long now = System.nanoTime();
            times.add(PublishedEvents.millisSince(PublishedEvents.writtenAt(event.data()), now));
        }
        reader.nextId(); // done
        return times;
    }
}
