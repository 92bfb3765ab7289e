package dev.ash.bench.floor;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.ash.bench.server.BenchServer;
import dev.ash.bench.server.Bridges;
import dev.ash.bench.server.WorkDirectory;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * The bridge program outside a sandbox, with the command line that the server gives to bridges:
 * read from a running one, so that it is always the present one.
 */
public final class BareBridge {
    private static final String INSIDE = "/opt/ash";
    private static final long TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(30);
    private static final long POLL_NANOS = 200_000;

    private final List<String> command;
    private final Path directory;
    private int next;

    private BareBridge(List<String> command, Path directory) {
        this.command = command;
        this.directory = directory;
    }

    /** One start: milliseconds to {@code ready}, and processor time of the process until then. */
    public record Start(double millis, double cpuMillis) {}

    /** Reads the command line of a bridge of this server, which must have a session. */
    public static BareBridge of(BenchServer server, WorkDirectory work) throws IOException {
        var bridges = Bridges.of(server);
        if (bridges.isEmpty()) {
            throw new IOException("the server has no running bridge");
        }
        var runtime = runtime(server.data().resolve("runtime")).toString();
        var command =
                bridges.getFirst().arguments().stream()
                        .filter(argument -> !argument.isEmpty())
                        .map(argument -> argument.replace(INSIDE, runtime))
                        .toList();
        return new BareBridge(command, work.directory("bridge"));
    }

    private static Path runtime(Path parent) throws IOException {
        try (var versions = Files.newDirectoryStream(parent, "[!.]*")) {
            for (var version : versions) {
                if (Files.exists(version.resolve("bridge.aot"))) {
                    return version;
                }
            }
        }
        throw new IOException("no AOT cache in " + parent);
    }

    public Start start() throws IOException, InterruptedException {
        var socket = directory.resolve("b" + ++next + ".sock");
        var builder = new ProcessBuilder(command).directory(directory.toFile());
        var environment = builder.environment();
        environment.keySet().retainAll(Set.of("PATH", "LANG"));
        environment.putAll(environment(socket));
        builder.redirectErrorStream(true).redirectOutput(directory.resolve("log").toFile());
        long begin = System.nanoTime();
        var process = builder.start();
        try (var channel = connect(process, socket, begin)) {
            var lines = new BufferedReader(Channels.newReader(channel, UTF_8));
            var line = lines.readLine();
            double millis = (System.nanoTime() - begin) / 1e6;
            if (line == null || !line.contains("\"ready\"")) {
                throw new IOException("the bridge sent " + line + " instead of ready");
            }
            return new Start(millis, cpuMillis(process.pid()));
        } finally {
            process.destroyForcibly().waitFor();
            Files.deleteIfExists(socket);
        }
    }

    private Map<String, String> environment(Path socket) {
        return Map.of(
                "HOME", directory.toString(),
                "ASH_BRIDGE_SOCKET", socket.toString(),
                "ASH_AGENT_DIR", directory.toString(),
                "ASH_WORKSPACE_DIR", directory.toString(),
                "ASH_SANDBOX_ID", "12345678-e29b-41d4-a716-446655440000",
                "ASH_SESSION_ID", "550e8400-e29b-41d4-a716-446655440000",
                "ASH_ENGINE", "demo");
    }

    private SocketChannel connect(Process process, Path socket, long begin)
            throws IOException, InterruptedException {
        while (true) {
            if (Files.exists(socket)) {
                var channel = SocketChannel.open(StandardProtocolFamily.UNIX);
                try {
                    channel.connect(UnixDomainSocketAddress.of(socket));
                    return channel;
                } catch (IOException e) {
                    channel.close(); // bound, but not listening yet
                }
            }
            if (!process.isAlive() || System.nanoTime() - begin > TIMEOUT_NANOS) {
                throw new IOException(
                        "the bridge does not listen: "
                                + Files.readString(directory.resolve("log")));
            }
            TimeUnit.NANOSECONDS.sleep(POLL_NANOS);
        }
    }

    /** Returns the processor time of all threads in milliseconds. */
    private static double cpuMillis(long pid) throws IOException {
        double nanos = 0;
        try (var threads = Files.newDirectoryStream(Path.of("/proc/" + pid + "/task"))) {
            for (var thread : threads) {
                nanos +=
                        Long.parseLong(
                                Files.readString(thread.resolve("schedstat"))
                                        .replaceFirst(" (?s:.*)", ""));
            }
        }
        return nanos / 1e6;
    }
}
