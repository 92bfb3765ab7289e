package dev.ash.bench.paths;

import dev.ash.bench.BenchServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/** A server with the demo engine whose entries are recorded. */
final class PathServer implements AutoCloseable {
    private static final long LIMIT_NANOS = TimeUnit.SECONDS.toNanos(60);

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

    /** A session, with its folder on the host. */
    record Session(String id, Path sandbox) {
        String path() {
            return "/api/sessions/" + id;
        }

        Path workspace(String file) {
            return sandbox.resolve("workspace").resolve(file);
        }
    }

    Session session(String more) throws IOException, InterruptedException {
        var answer = server.post("/api/sessions", "{\"agent\":\"quick\"" + more + "}");
        var folders = data().resolve("sandboxes");
        return new Session(field("id", answer), folders.resolve(field("sandboxId", answer)));
    }

    Path data() {
        return server.folder().resolve("data");
    }

    static String field(String name, String json) throws IOException {
        var found = Pattern.compile("\"" + name + "\":\"([^\"]+)\"").matcher(json);
        if (!found.find()) {
            throw new IOException("no " + name + " in " + json);
        }
        return found.group(1);
    }

    /** A state that can be looked at. */
    interface Condition {
        boolean holds() throws IOException, InterruptedException;
    }

    /** Waits until it holds, and returns when it did not hold for the last time. */
    static long await(Condition condition) throws IOException, InterruptedException {
        long end = System.nanoTime() + LIMIT_NANOS;
        while (true) {
            long before = System.nanoTime();
            if (condition.holds()) {
                return before;
            }
            if (before > end) {
                throw new IOException("it did not happen within a minute");
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
