package dev.ash.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;

/**
 * How long it takes to create a session with our own bridge, behind the wall and as a plain process
 * on a host that has no bubblewrap, in turns; and how long to end it, its processes included.
 */
final class Create {
    private static final int WARM_UP = 10;
    private static final int SAMPLES = 60;
    private static final double TARGET_MS = 25;

    static void run() throws IOException, InterruptedException {
        var tools = Files.createTempDirectory("ash-bench-tools-");
        Files.setPosixFilePermissions(tools, PosixFilePermissions.fromString("rwxr-xr-x"));
        try (var walled = BenchServer.start(Map.of());
                var plain = BenchServer.start(Map.of("PATH", withoutBubblewrap(tools)))) {
            walled.deploy("x.txt", new byte[0]);
            plain.deploy("x.txt", new byte[0]);
            measure(walled, plain);
        } finally {
            try (var links = Files.list(tools)) {
                for (var link : links.toList()) {
                    Files.delete(link);
                }
            }
            Files.delete(tools);
        }
    }

    private static void measure(BenchServer walled, BenchServer plain)
            throws IOException, InterruptedException {
        var behind = new Samples();
        var without = new Samples();
        for (int i = 0; i < WARM_UP; i++) {
            new Samples().take(walled, 0);
            new Samples().take(plain, 0);
        }
        for (int i = 0; i < SAMPLES; i++) {
            behind.take(walled, i);
            without.take(plain, i);
        }
        behind.print("behind the wall");
        without.print("as a plain process");
        double more = behind.created().median() - without.created().median();
        System.out.printf(
                "the wall costs %.1f ms (p50) of a create (target %.0f: %s)%n",
                more, TARGET_MS, more <= TARGET_MS ? "met" : "NOT met");
    }

    private static final class Samples {
        private final double[] creates = new double[SAMPLES];
        private final double[] ends = new double[SAMPLES];

        void take(BenchServer server, int i) throws IOException, InterruptedException {
            long begin = System.nanoTime();
            var session = server.session();
            creates[i] = (System.nanoTime() - begin) / 1e6;
            ends[i] = session.end();
        }

        Figures created() {
            return new Figures(creates);
        }

        void print(String what) {
            var ended = new Figures(ends);
            System.out.printf(
                    "session %s: create p50 %.1f ms, p95 %.1f ms; end p50 %.1f ms, p99 %.1f ms%n",
                    what,
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
