package dev.ash.bench;

import java.io.IOException;
import java.net.http.HttpClient;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Measures the memory of the server and the latency of events with 200 devices that follow one busy
 * session, compared with a single device in the same run.
 */
final class Devices {
    private static final Pattern AT = Pattern.compile("\"at\":(\\d+)");
    private static final int DEVICES = 200;
    private static final int WARM_UP = 300;
    private static final int SAMPLES = 200;
    private static final int GAP_MS = 40;
    private static final int BURST = 500;
    private static final int FRAMES_OF_AN_EVENT = 3; // the text, and the end and start of a stream

    static void run() throws IOException, InterruptedException {
        try (var server = BenchServer.forDevices()) {
            var session = server.session();
            var client = BenchDevice.client(server);
            var devices = new ArrayList<BenchDevice>();
            devices.add(BenchDevice.follow(server, client, session.id()));
            try (var subscriber = session.subscribe(0)) {
                measure("", server, session, subscriber, devices, WARM_UP, 2);
                print("1 device", ServerMemory.of(server));
                var single =
                        measure("1 device", server, session, subscriber, devices, SAMPLES, GAP_MS);
                connectOthers(server, client, session, devices);
                print(DEVICES + " devices, idle", ServerMemory.of(server));
                measure("", server, session, subscriber, devices, WARM_UP / 5, GAP_MS);
                var name = DEVICES + " devices";
                var all = measure(name, server, session, subscriber, devices, SAMPLES, GAP_MS);
                System.out.printf(
                        "%d devices compared with one: p50 %.1f times, p99 %.1f times%n",
                        DEVICES,
                        all.median() / single.median(),
                        all.percentile(99) / single.percentile(99));
                print(name + ", one event every %d ms".formatted(GAP_MS), ServerMemory.of(server));
            }
            burst(session, devices);
            print(DEVICES + " devices after a burst", ServerMemory.of(server));
            client.shutdownNow();
        }
    }

    private static void connectOthers(
            BenchServer server, HttpClient client, BenchSession session, List<BenchDevice> devices)
            throws IOException, InterruptedException {
        long begin = System.nanoTime();
        while (devices.size() < DEVICES) {
            devices.add(BenchDevice.follow(server, client, session.id()));
        }
        System.out.printf(
                "pairing, connecting and joining: %.1f ms per device%n",
                (System.nanoTime() - begin) / 1e6 / DEVICES);
    }

    /** Measures the latency of single events with this interval. */
    private static Statistics measure(
            String label,
            BenchServer server,
            BenchSession session,
            EventReader subscriber,
            List<BenchDevice> devices,
            int count,
            int gapMs)
            throws IOException, InterruptedException {
        devices.forEach(device -> device.expect(count));
        var written = new long[count];
        var readBySubscriber = new long[count];
        session.prompt("PUBLISH %d %d".formatted(count, gapMs));
        for (int i = 0; i < count; i++) {
            written[i] = nextTime(subscriber);
            readBySubscriber[i] = System.nanoTime();
        }
        var read = new ArrayList<long[]>();
        for (var device : devices) {
            read.add(device.await());
        }
        var published = Publish.matchPublished(written, server.published());
        if (!label.isEmpty()) {
            latency(
                    label + ", publication to a subscriber's read",
                    published,
                    List.of(readBySubscriber));
        }
        return latency(
                label.isEmpty() ? "" : label + ", publication to a device's read", published, read);
    }

    /** Returns when the next message was written; ignores the ends of turns. */
    private static long nextTime(EventReader subscriber) throws IOException {
        while (true) {
            var at = AT.matcher(subscriber.next().data());
            if (at.find()) {
                return Long.parseLong(at.group(1));
            }
        }
    }

    private static Statistics latency(String label, long[] published, List<long[]> read) {
        var millis = new double[read.size() * published.length];
        int next = 0;
        for (var times : read) {
            for (int i = 0; i < published.length; i++) {
                millis[next++] = (times[i] - published[i]) / 1e6;
            }
        }
        var figures = new Statistics(millis);
        if (!label.isEmpty()) {
            System.out.printf(
                    "%s: p50 %.2f ms, p99 %.2f ms, max %.2f ms%n",
                    label, figures.median(), figures.percentile(99), figures.max());
        }
        return figures;
    }

    private static void burst(BenchSession session, List<BenchDevice> devices)
            throws IOException, InterruptedException {
        devices.forEach(device -> device.expect(BURST));
        long begin = System.nanoTime();
        session.prompt("BURST " + BURST);
        for (var device : devices) {
            device.await();
        }
        double seconds = (System.nanoTime() - begin) / 1e9;
        System.out.printf(
                "a burst of %,d events to %d devices: %.1f s, %,.0f frames/s in total%n",
                BURST, DEVICES, seconds, BURST * FRAMES_OF_AN_EVENT * DEVICES / seconds);
    }

    private static void print(String label, ServerMemory memory) {
        System.out.printf(
                "%s: the server uses %.0f MB, including %.1f MB of live objects%n",
                label, memory.rss(), memory.live());
    }

    private Devices() {}
}
