package dev.ash.e2e.gateway;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** Resource usage of a server process: files, threads, and live objects after a collection. */
record ResourceUsage(long files, long threads, long bytes, long sockets, long virtualThreads) {
    private static final Pattern TOTAL = Pattern.compile("(?m)^Total\\s+\\d+\\s+(\\d+)");

    static ResourceUsage of(long pid) {
        try (var open = Files.list(Path.of("/proc/" + pid + "/fd"))) {
            long files = open.count();
            var histogram = jcmd(pid, "GC.class_histogram");
            var total = TOTAL.matcher(histogram);
            return new ResourceUsage(
                    files,
                    threads(pid),
                    total.find() ? Long.parseLong(total.group(1)) : 0,
                    instances(histogram, "dev.ash.server.gateway.GatewaySocket"),
                    instances(histogram, "java.lang.ThreadBuilders$BoundVirtualThread")
                            + instances(histogram, "java.lang.VirtualThread"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static long threads(long pid) throws IOException {
        return Files.readAllLines(Path.of("/proc/" + pid + "/status")).stream()
                .filter(line -> line.startsWith("Threads:"))
                .mapToLong(line -> Long.parseLong(line.substring(8).strip()))
                .sum();
    }

    private static long instances(String histogram, String name) {
        var found =
                Pattern.compile(
                                "(?m)^\\s*\\d+:\\s+(\\d+)\\s+\\d+\\s+"
                                        + Pattern.quote(name)
                                        + "( |$)")
                        .matcher(histogram);
        return found.find() ? Long.parseLong(found.group(1)) : 0;
    }

    private static String jcmd(long pid, String... words) throws IOException {
        var command = new ArrayList<String>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "jcmd").toString());
        command.add(Long.toString(pid));
        command.addAll(List.of(words));
        var process = new ProcessBuilder(command).redirectErrorStream(true).start();
        return new String(process.getInputStream().readAllBytes(), UTF_8);
    }
}
