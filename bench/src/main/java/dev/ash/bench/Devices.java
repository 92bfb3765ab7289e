package dev.ash.bench;

import java.io.IOException;
import java.net.http.HttpClient;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Two hundred devices that follow one session which has much to say: what the server takes for
 * them, and how long an event takes to reach them, beside one device alone in the same run.
 */
final class Devices {
    private static final Pattern AT = Pattern.compile("\"at\":(\\d+)");
    private static final int DEVICES = 200;
    private static final int WARM_UP = 300;
    private static final int SAMPLES = 200;
    private static final int GAP_MS = 40;
    private static final int BURST = 500;
    private static final int FRAMES_OF_AN_EVENT = 3; // the end of a stream, and another with a text

    static void run() throws IOException, InterruptedException {
        try (var server = BenchServer.forDevices()) {
            var session = server.session();
            var client = BenchDevice.client(server);
            var devices = new ArrayList<BenchDevice>();
            devices.add(BenchDevice.follow(server, client, session.id()));
            try (var watcher = session.watch(0)) {
                measure("", server, session, watcher, devices, WARM_UP, 2);
                print("1 device", ServerMemory.of(server));
                var alone = measure("1 device", server, session, watcher, devices, SAMPLES, GAP_MS);
                more(server, client, session, devices);
                print(DEVICES + " devices, idle", ServerMemory.of(server));
                measure("", server, session, watcher, devices, WARM_UP / 5, GAP_MS);
                var name = DEVICES + " devices";
                var all = measure(name, server, session, watcher, devices, SAMPLES, GAP_MS);
                System.out.printf(
                        "%d devices beside one: p50 %.1f times, p99 %.1f times%n",
                        DEVICES,
                        all.median() / alone.median(),
                        all.percentile(99) / alone.percentile(99));
                print(name + ", one event every %d ms".formatted(GAP_MS), ServerMemory.of(server));
            }
            burst(session, devices);
            print(DEVICES + " devices after a burst", ServerMemory.of(server));
            client.shutdownNow();
        }
    }

    private static void more(
            BenchServer server, HttpClient client, BenchSession session, List<BenchDevice> devices)
            throws IOException, InterruptedException {
        long begin = System.nanoTime();
        while (devices.size() < DEVICES) {
            devices.add(BenchDevice.follow(server, client, session.id()));
        }
        System.out.printf(
                "pairing, connecting and joining: %.1f ms a device%n",
                (System.nanoTime() - begin) / 1e6 / DEVICES);
    }

    /** Single events, this far apart. */
    private static Figures measure(
            String what,
            BenchServer server,
            BenchSession session,
            EventReader watcher,
            List<BenchDevice> devices,
            int count,
            int gapMs)
            throws IOException, InterruptedException {
        devices.forEach(device -> device.expect(count));
        var written = new long[count];
        var watched = new long[count];
        session.ask("PUBLISH %d %d".formatted(count, gapMs));
        for (int i = 0; i < count; i++) {
            written[i] = nextTime(watcher);
            watched[i] = System.nanoTime();
        }
        var read = new ArrayList<long[]>();
        for (var device : devices) {
            read.add(device.await());
        }
        var published = Publish.firstAfter(written, server.published());
        if (!what.isEmpty()) {
            latency(what + ", publication to a watcher's read", published, List.of(watched));
        }
        return latency(
                what.isEmpty() ? "" : what + ", publication to a device's read", published, read);
    }

    /** When the next message was written; ends of turns are skipped. */
    private static long nextTime(EventReader watcher) throws IOException {
        while (true) {
            var at = AT.matcher(watcher.next().data());
            if (at.find()) {
                return Long.parseLong(at.group(1));
            }
        }
    }

    private static Figures latency(String what, long[] published, List<long[]> read) {
        var millis = new double[read.size() * published.length];
        int next = 0;
        for (var times : read) {
            for (int i = 0; i < published.length; i++) {
                millis[next++] = (times[i] - published[i]) / 1e6;
            }
        }
        var figures = new Figures(millis);
        if (!what.isEmpty()) {
            System.out.printf(
                    "%s: p50 %.2f ms, p99 %.2f ms, longest %.2f ms%n",
                    what, figures.median(), figures.percentile(99), figures.best());
        }
        return figures;
    }

    private static void burst(BenchSession session, List<BenchDevice> devices)
            throws IOException, InterruptedException {
        devices.forEach(device -> device.expect(BURST));
        long begin = System.nanoTime();
        session.ask("BURST " + BURST);
        for (var device : devices) {
            device.await();
        }
        double seconds = (System.nanoTime() - begin) / 1e9;
        System.out.printf(
                "a burst of %,d events to %d devices: %.1f s, %,.0f frames/s in all%n",
                BURST, DEVICES, seconds, BURST * FRAMES_OF_AN_EVENT * DEVICES / seconds);
    }

    private static void print(String what, ServerMemory memory) {
        System.out.printf(
                "%s: the server takes %.0f MB, of it %.1f MB live%n",
                what, memory.rss(), memory.live());
    }

    private Devices() {}
}
