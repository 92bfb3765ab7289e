package dev.ash.bench.paths;

import dev.ash.bench.server.BenchServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/** A server with the demo engine whose method entries are recorded. */
final class PathServer implements AutoCloseable {
    private static final long TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(60);

    private final Path portFile;
    private final ModelUpstream model;
    private final BenchServer server;
    private final Recorder recorder;

    PathServer(Path dist, Path agent, Path projects) throws IOException, InterruptedException {
        portFile = projects.resolve("agent-port");
        model = new ModelUpstream();
        server =
                BenchServer.ofBuild(
                        dist,
                        Map.of(
                                "ASH_GATEWAY",
                                "1",
                                "ASH_GATEWAY_PORT",
                                "0",
                                "ASH_PROJECT_ROOTS",
                                projects.toString(),
                                "ASH_PAIR_DIR",
                                projects.resolve("runs").toString(),
                                "ANTHROPIC_API_KEY",
                                "key-of-nobody",
                                "ANTHROPIC_BASE_URL",
                                model.url()),
                        List.of("-javaagent:" + agent + "=" + portFile));
        recorder = new Recorder(portFile);
        server.deploy("notes.txt", new byte[0]);
    }

    BenchServer server() {
        return server;
    }

    Recorder recorder() {
        return recorder;
    }

    /** A session with its sandbox directory on the host. */
    record Session(String id, Path sandbox) {
        String path() {
            return "/api/sessions/" + id;
        }

        Path workspace(String file) {
            return sandbox.resolve("workspace").resolve(file);
        }
    }

    Session session(String more) throws IOException, InterruptedException {
        var response = server.post("/api/sessions", "{\"agent\":\"quick\"" + more + "}");
        var sandboxes = data().resolve("sandboxes");
        return new Session(field("id", response), sandboxes.resolve(field("sandboxId", response)));
    }

    Path data() {
        return server.directory().resolve("data");
    }

    static String field(String name, String json) throws IOException {
        var found = Pattern.compile("\"" + name + "\":\"([^\"]+)\"").matcher(json);
        if (!found.find()) {
            throw new IOException("no " + name + " in " + json);
        }
        return found.group(1);
    }

    /** A condition that can be polled. */
    interface Condition {
        boolean holds() throws IOException, InterruptedException;
    }

    /** Waits until the condition holds; returns the time before its last check. */
    static long await(Condition condition) throws IOException, InterruptedException {
        long end = System.nanoTime() + TIMEOUT_NANOS;
        while (true) {
            long before = System.nanoTime();
            if (condition.holds()) {
                return before;
            }
            if (before > end) {
                throw new IOException("timeout after one minute");
            }
            Thread.sleep(1);
        }
    }

    @Override
    public void close() throws IOException {
        recorder.close();
        server.close();
        model.close();
        Files.deleteIfExists(portFile);
    }
}
