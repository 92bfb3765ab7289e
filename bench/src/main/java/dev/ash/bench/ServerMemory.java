package dev.ash.bench;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

/** The memory of a server process in megabytes: resident set size, and live objects. */
record ServerMemory(double rss, double live) {
    private static final Pattern TOTAL = Pattern.compile("(?m)^Total\\s+\\d+\\s+(\\d+)");
    private static final double MEGABYTE = 1 << 20;

    /** Reads the resident set size, then counts live objects after a full collection. */
    static ServerMemory of(BenchServer server) throws IOException {
        double rss = rss(server.pid());
        var jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd").toString();
        var command = List.of(jcmd, Long.toString(server.pid()), "GC.class_histogram");
        var process = new ProcessBuilder(command).redirectErrorStream(true).start();
        var text = new String(process.getInputStream().readAllBytes(), UTF_8);
        var total = TOTAL.matcher(text);
        if (!total.find()) {
            throw new IOException("no total in " + text);
        }
        return new ServerMemory(rss, Long.parseLong(total.group(1)) / MEGABYTE);
    }

    private static double rss(long pid) throws IOException {
        for (var line : Files.readAllLines(Path.of("/proc/" + pid + "/status"))) {
            if (line.startsWith("VmRSS:")) {
                return Long.parseLong(line.replaceAll("\\D", "")) / 1024.0;
            }
        }
        throw new IOException("the server has exited");
    }
}
