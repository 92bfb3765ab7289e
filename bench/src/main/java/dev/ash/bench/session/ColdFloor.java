package dev.ash.bench.session;

import dev.ash.bench.floor.BareBridge;
import dev.ash.bench.floor.BareBubblewrap;
import dev.ash.bench.run.Measurement;
import dev.ash.bench.server.BenchServer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** The floor of a cold start: a bare sandbox, then the bridge program without a sandbox. */
final class ColdFloor {
    static final String NAME = "bare bubblewrap + bridge start";

    private final BareBubblewrap bubblewrap;
    private final BareBridge bridge;
    private final List<Double> sums = new ArrayList<>();
    private final List<Double> cpu = new ArrayList<>();

    private ColdFloor(BareBubblewrap bubblewrap, BareBridge bridge) {
        this.bubblewrap = bubblewrap;
        this.bridge = bridge;
    }

    static ColdFloor of(BenchServer server, Measurement measurement)
            throws IOException, InterruptedException {
        var session = server.session();
        var bridge = BareBridge.of(server, measurement.work());
        session.end();
        var floor = new ColdFloor(BareBubblewrap.in(measurement.work()), bridge);
        floor.bubblewrap.millis();
        floor.bridge.start();
        return floor;
    }

    void measure() throws IOException, InterruptedException {
        var start = bridge.start();
        sums.add(bubblewrap.millis() + start.millis());
        cpu.add(start.cpuMillis());
    }

    /** Returns the sums in milliseconds. */
    List<Double> sums() {
        return sums;
    }

    /** Returns the processor time of the bridge starts in milliseconds. */
    List<Double> cpu() {
        return cpu;
    }
}
