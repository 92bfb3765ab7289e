package dev.ash.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;

/**
 * Measures the time to create a session with the bridge of Ash, alternately with isolation and as a
 * plain process on a host without bubblewrap; and the time to end it and its processes.
 */
final class Create {
    private static final int WARM_UP = 10;
    private static final int SAMPLES = 60;
    private static final double TARGET_MS = 25;

    static void run() throws IOException, InterruptedException {
        var tools = Files.createTempDirectory("ash-bench-tools-");
        Files.setPosixFilePermissions(tools, PosixFilePermissions.fromString("rwxr-xr-x"));
        try (var isolated = BenchServer.start(Map.of());
                var plain = BenchServer.start(Map.of("PATH", withoutBubblewrap(tools)))) {
            isolated.deploy("x.txt", new byte[0]);
            plain.deploy("x.txt", new byte[0]);
            measure(isolated, plain);
        } finally {
            try (var links = Files.list(tools)) {
                for (var link : links.toList()) {
                    Files.delete(link);
                }
            }
            Files.delete(tools);
        }
    }

    private static void measure(BenchServer isolated, BenchServer plain)
            throws IOException, InterruptedException {
        var withIsolation = new Samples();
        var withoutIsolation = new Samples();
        for (int i = 0; i < WARM_UP; i++) {
            new Samples().measure(isolated, 0);
            new Samples().measure(plain, 0);
        }
        for (int i = 0; i < SAMPLES; i++) {
            withIsolation.measure(isolated, i);
            withoutIsolation.measure(plain, i);
        }
        withIsolation.print("with isolation");
        withoutIsolation.print("as a plain process");
        double overhead = withIsolation.created().median() - withoutIsolation.created().median();
        System.out.printf(
                "isolation adds %.1f ms (p50) to a create (target %.0f: %s)%n",
                overhead, TARGET_MS, overhead <= TARGET_MS ? "met" : "NOT met");
    }

    private static final class Samples {
        private final double[] creates = new double[SAMPLES];
        private final double[] ends = new double[SAMPLES];

        void measure(BenchServer server, int i) throws IOException, InterruptedException {
            long begin = System.nanoTime();
            var session = server.session();
            creates[i] = (System.nanoTime() - begin) / 1e6;
            ends[i] = session.end();
        }

        Statistics created() {
            return new Statistics(creates);
        }

        void print(String label) {
            var ended = new Statistics(ends);
            System.out.printf(
                    "session %s: create p50 %.1f ms, p95 %.1f ms; end p50 %.1f ms, p99 %.1f ms%n",
                    label,
                    created().median(),
                    created().percentile(95),
                    ended.median(),
                    ended.percentile(99));
        }
    }

    private static String withoutBubblewrap(Path tools) throws IOException {
        try (var programs = Files.list(Path.of("/usr/bin"))) {
            for (var program : programs.toList()) {
                if (!program.endsWith("bwrap")) {
                    Files.createSymbolicLink(tools.resolve(program.getFileName()), program);
                }
            }
        }
        return tools.toString();
    }

    private Create() {}
}
