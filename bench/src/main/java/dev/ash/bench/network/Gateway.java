package dev.ash.bench.network;

import dev.ash.bench.result.Figure;
import dev.ash.bench.run.Benchmark;
import dev.ash.bench.run.Measurement;
import dev.ash.bench.server.BenchDevice;
import dev.ash.bench.server.BenchSession;
import dev.ash.bench.server.EventReader;
import dev.ash.bench.server.ServerSettings;
import dev.ash.bench.turn.PublishedEvents;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Frames to devices over WSS, compared with an event stream of the same session. */
public final class Gateway implements Benchmark {
    private static final int DEVICES = 200;
    private static final int GAP_MS = 20;
    private static final int WARM_UP = 100;

    @Override
    public String name() {
        return "gateway";
    }

    @Override
    public String description() {
        return "an event to one device and to 200 devices over WSS";
    }

    /** Milliseconds from the bridge's write to the read of devices and of the subscriber. */
    private record Times(List<Double> devices, List<Double> subscriber) {}

    @Override
    public void run(Measurement measurement) throws Exception {
        var server = measurement.server(ServerSettings.standIn());
        var session = server.session();
        var client = BenchDevice.client(server);
        var devices = new ArrayList<BenchDevice>();
        try (var subscriber = session.subscribe(0)) {
            devices.add(BenchDevice.follow(server, client, session.id()));
            measure(session, subscriber, devices, measurement.samples(WARM_UP, 3));
            var one = measure(session, subscriber, devices, measurement.samples(200, 3));
            while (devices.size() < DEVICES) {
                measurement.progress("device %d", devices.size());
                devices.add(BenchDevice.follow(server, client, session.id()));
            }
            measure(session, subscriber, devices, 10);
            var all = measure(session, subscriber, devices, measurement.samples(100, 3));
            measurement.record(
                    Figure.millis("frame to a device", Figure.STAND_IN, one.devices())
                            .over("event stream", one.subscriber()));
            measurement.record(
                    Figure.millis("frame to each of 200 devices", Figure.STAND_IN, all.devices())
                            .over("event stream", all.subscriber()));
        } finally {
            client.shutdownNow();
            measurement.release(server);
        }
    }

    private static Times measure(
            BenchSession session, EventReader subscriber, List<BenchDevice> devices, int count)
            throws IOException, InterruptedException {
        devices.forEach(device -> device.expect(count));
        session.prompt("PUBLISH %d %d".formatted(count, GAP_MS));
        var times = new Times(new ArrayList<>(), new ArrayList<>());
        while (times.subscriber().size() < count) {
            var event = subscriber.next();
            long now = System.nanoTime();
            long written = PublishedEvents.writtenAt(event.data());
            times.subscriber().add(PublishedEvents.millisSince(written, now));
        }
        subscriber.nextId(); // done
        for (var device : devices) {
            for (long nanos : device.await()) {
                times.devices().add(PublishedEvents.millisSince(0, nanos));
            }
        }
        return times;
    }
}
