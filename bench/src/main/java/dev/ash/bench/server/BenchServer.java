package dev.ash.bench.server;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A real server process with a new data directory. */
public final class BenchServer implements AutoCloseable {
    private static final Pattern PORT = Pattern.compile("\"port\":\\s*(\\d+)");
    private static final Pattern PID = Pattern.compile("\"pid\":\\s*(\\d+)");
    private static final Pattern SESSION = Pattern.compile("\"session\":\\{\"id\":\"([^\"]+)\"");
    private static final Duration START_TIMEOUT = Duration.ofSeconds(60);

    private final Path tree;
    private final Path directory;
    private final Launch launch;
    private Map<String, String> environment = Map.of();
    private volatile @Nullable Process launcher;
    private volatile @Nullable ProcessHandle process;
    private int port;
    private String key = "";
    private @Nullable ApiClient client;

    /** Returns the command that starts a server with this directory. */
    interface Launch {
        ProcessBuilder command(Path directory) throws IOException;
    }

    BenchServer(Path directory, Launch launch) {
        this(directory, directory, launch);
    }

    /** {@code tree} is deleted at the end. */
    private BenchServer(Path tree, Path directory, Launch launch) {
        this.tree = tree;
        this.directory = directory;
        this.launch = launch;
    }

    void environment(Map<String, String> variables) {
        environment = Map.copyOf(variables);
    }

    /** Starts the server of another build whose sessions run {@code bridge.py}. */
    public static BenchServer ofBuildWithStandIn(Path dist)
            throws IOException, InterruptedException {
        var server = ofBuild(dist, Map.of("ASH_BRIDGE_COMMAND", "python3 bridge.py"), List.of());
        server.deployStandIn();
        return server;
    }

    /** Starts the server of another build, without classes of this build, with JVM flags. */
    public static BenchServer ofBuild(Path dist, Map<String, String> variables, List<String> flags)
            throws IOException, InterruptedException {
        var work = WorkDirectory.create();
        var directory = work.directory("s");
        var server =
                new BenchServer(
                        work.home().resolve("..").normalize(),
                        directory,
                        _ -> {
                            var command = new ArrayList<String>();
                            command.add(Installation.java().toString());
                            command.add("--enable-native-access=ALL-UNNAMED");
                            command.addAll(flags);
                            command.addAll(
                                    List.of(
                                            "-Dash.dist=" + dist,
                                            "-cp",
                                            new Installation(dist).classPath("server"),
                                            "dev.ash.server.ServerMain"));
                            return new ProcessBuilder(command);
                        });
        var all = new HashMap<>(System.getenv());
        all.keySet().retainAll(Set.of("PATH", "LANG", "TERM"));
        all.put("HOME", directory.toString());
        all.put("ASH_PORT", "0");
        all.put("ASH_DATA_DIR", data(directory).toString());
        all.put("ASH_ENGINE", "demo");
        all.put("ASH_PREWARM", "0");
        all.put("ASH_GATEWAY", "0");
        all.putAll(variables);
        server.environment(all);
        try {
            server.start();
        } catch (IOException e) {
            server.close();
            throw e;
        }
        return server;
    }

    /** Starts the process; again after {@link #stop}, with the same data directory. */
    public void start() throws IOException, InterruptedException {
        var pidFile = data(directory).resolve("server.pid");
        Files.deleteIfExists(pidFile);
        var builder = launch.command(directory);
        builder.environment().clear();
        builder.environment().putAll(environment);
        var started =
                builder.redirectErrorStream(true)
                        .redirectOutput(log().toFile())
                        .directory(directory.toFile())
                        .start();
        launcher = started;
        awaitPidFile(started, pidFile);
        client = new ApiClient(port, key);
    }

    private void awaitPidFile(Process started, Path file) throws IOException, InterruptedException {
        long deadline = System.nanoTime() + START_TIMEOUT.toNanos();
        while (System.nanoTime() < deadline) {
            var text = Files.exists(file) ? Files.readString(file) : "";
            var foundPort = PORT.matcher(text);
            var foundPid = PID.matcher(text);
            if (foundPort.find() && foundPid.find()) {
                port = Integer.parseInt(foundPort.group(1));
                process = ProcessHandle.of(Long.parseLong(foundPid.group(1))).orElseThrow();
                key = Files.readString(data(directory).resolve("initial-api-key")).strip();
                return;
            }
            if (!started.isAlive() && started.exitValue() != 0) {
                break;
            }
            Thread.sleep(20);
        }
        throw new IOException("the server did not start: " + Files.readString(log()));
    }

    void deployStandIn() throws IOException, InterruptedException {
        try (var in = BenchServer.class.getResourceAsStream("/bridge.py")) {
            deploy("bridge.py", Objects.requireNonNull(in).readAllBytes());
        }
    }

    /** Deploys the agent {@code quick}, with a prompt and this file. */
    public void deploy(String file, byte[] content) throws IOException, InterruptedException {
        deploy("quick", file, content);
    }

    public void deploy(String agent, String file, byte[] content)
            throws IOException, InterruptedException {
        var encoder = Base64.getEncoder();
        post(
                "/api/agents",
                """
                {"name":"%s","files":[{"path":"CLAUDE.md","content":"%s"},\
                {"path":"%s","content":"%s"}]}"""
                        .formatted(
                                agent,
                                encoder.encodeToString("You are quick.\n".getBytes(UTF_8)),
                                file,
                                encoder.encodeToString(content)));
    }

    public BenchSession session() throws IOException, InterruptedException {
        return session("");
    }

    /** {@code more} is appended to the request, such as {@code ,"limits":{"pids":100}}. */
    public BenchSession session(String more) throws IOException, InterruptedException {
        return sessionOf(post("/api/sessions", "{\"agent\":\"quick\"" + more + "}"));
    }

    /** Returns the session of a response. */
    public BenchSession sessionOf(String response) throws IOException {
        var found = SESSION.matcher(response);
        if (!found.find()) {
            throw new IOException("no session in " + response);
        }
        return new BenchSession(this, found.group(1));
    }

    public String post(String path, String body) throws IOException, InterruptedException {
        return client().send("POST", path, body);
    }

    public String get(String path) throws IOException, InterruptedException {
        return client().send("GET", path, "");
    }

    public void delete(String path) throws IOException, InterruptedException {
        client().send("DELETE", path, "");
    }

    /** Opens the response stream and closes it after the first byte. */
    public void begin(String path, String body) throws IOException, InterruptedException {
        client().begin(path, body);
    }

    /** Sends a request and returns the lines of the response stream. */
    public ResponseLines stream(String path, String body) throws IOException, InterruptedException {
        return client().stream(path, body);
    }

    private ApiClient client() {
        return Objects.requireNonNull(client, "the server is not running");
    }

    /** Opens a connection for requests whose duration is measured. */
    public ApiConnection connect() throws IOException {
        return ApiConnection.open(port, key);
    }

    public EventReader follow(String path) throws IOException {
        return EventReader.open(
                port,
                "GET %s HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer %s\r\n\r\n"
                        .formatted(path, key));
    }

    /** Sends a request and returns a reader of its stream, with minimal overhead. */
    public EventReader openStream(String path, String body) throws IOException {
        return EventReader.open(
                port,
                """
                POST %s HTTP/1.1\r
                Host: 127.0.0.1\r
                Authorization: Bearer %s\r
                Content-Type: application/json\r
                Content-Length: %d\r
                \r
                %s"""
                        .formatted(path, key, body.length(), body));
    }

    /** Waits until bridges use the AOT cache: earlier ones start more slowly. */
    public void awaitAotCache() throws IOException, InterruptedException {
        Await.until("the AOT cache of the bridge", Duration.ofMinutes(3), this::hasAotCache);
    }

    private boolean hasAotCache() throws IOException {
        try (var versions = Files.newDirectoryStream(data(directory).resolve("runtime"), "[!.]*")) {
            for (var version : versions) {
                if (Files.exists(version.resolve("bridge.aot"))) {
                    return true;
                }
            }
            return false;
        }
    }

    public ServerHealth health() throws IOException, InterruptedException {
        return new ServerHealth(get("/health"));
    }

    /** Waits until this many sandboxes are warm and no other one is being started. */
    public void awaitWarm(int count) throws IOException, InterruptedException {
        Await.until(
                count + " warm sandboxes",
                Duration.ofMinutes(2),
                () -> {
                    var health = health();
                    return health.warm() >= count && health.warming() == 0;
                });
    }

    public long pid() {
        return running().pid();
    }

    private ProcessHandle running() {
        return Objects.requireNonNull(process, "the server is not running");
    }

    public int port() {
        return port;
    }

    public Path directory() {
        return directory;
    }

    public Path data() {
        return data(directory);
    }

    static Path data(Path directory) {
        return directory.resolve("data");
    }

    private Path log() {
        return directory.resolve("start.log");
    }

    /** Terminates the server and its sandboxes; keeps its directory. */
    public void stop() {
        var open = client;
        if (open != null) {
            open.close();
            client = null;
        }
        var starting = launcher;
        if (starting != null) {
            starting.destroy(); // without effect if it has exited
        }
        var handle = process;
        if (handle != null) {
            handle.destroy();
            try {
                handle.onExit().get(2, TimeUnit.MINUTES); // it unmounts the disks of all sandboxes
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } catch (ExecutionException | TimeoutException e) {
                handle.destroyForcibly();
                handle.onExit().join();
            }
            process = null;
        }
    }

    @Override
    public void close() throws IOException {
        stop();
        WorkDirectory.delete(tree);
    }
}
