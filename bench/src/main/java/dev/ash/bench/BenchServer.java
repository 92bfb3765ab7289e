package dev.ash.bench;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** A real server process with a new data directory. */
public final class BenchServer implements AutoCloseable {
    private static final Pattern PORT = Pattern.compile("\"port\":\\s*(\\d+)");
    private static final Pattern SESSION = Pattern.compile("\"session\":\\{\"id\":\"([^\"]+)\"");

    private static final String BRIDGE_COMMAND = "ASH_BRIDGE_COMMAND";
    private static final String BENCH_BRIDGE = "python3 bridge.py";

    private final Path directory;
    private final Process process;
    private final HttpClient client = HttpClient.newHttpClient();
    private final int port;
    private final String key;

    private BenchServer(Path directory, Process process) throws IOException, InterruptedException {
        this.directory = directory;
        this.process = process;
        this.port = awaitPort();
        this.key = Files.readString(data(directory).resolve("initial-api-key")).strip();
    }

    /** Starts a server whose sessions run {@code bridge.py}, which has almost no overhead. */
    static BenchServer start() throws IOException, InterruptedException {
        return withBenchBridge(Map.of());
    }

    /** Like {@link #start()}, with the gateway for devices. */
    static BenchServer forDevices() throws IOException, InterruptedException {
        return withBenchBridge(Map.of("ASH_GATEWAY", "1", "ASH_GATEWAY_PORT", "0"));
    }

    private static BenchServer withBenchBridge(Map<String, String> more)
            throws IOException, InterruptedException {
        var variables = new HashMap<>(more);
        variables.put(BRIDGE_COMMAND, BENCH_BRIDGE);
        return start(variables).deployBenchBridge();
    }

    /** Starts the server of another build whose sessions run {@code bridge.py}. */
    static BenchServer ofBuildWithBenchBridge(Path dist) throws IOException, InterruptedException {
        return ofBuild(dist, Map.of(BRIDGE_COMMAND, BENCH_BRIDGE)).deployBenchBridge();
    }

    private BenchServer deployBenchBridge() throws IOException, InterruptedException {
        try (var in = BenchServer.class.getResourceAsStream("/bridge.py")) {
            deploy("bridge.py", in == null ? new byte[0] : in.readAllBytes());
        }
        return this;
    }

    static BenchServer start(Map<String, String> variables)
            throws IOException, InterruptedException {
        return start(
                variables,
                directory ->
                        List.of(
                                "-Dash.dist=" + dist(),
                                "-Dash.bench.times=" + times(directory),
                                "-cp",
                                jars(dist().resolve("server"))
                                        + File.pathSeparator
                                        + dist().resolve("bench/ash-bench.jar"),
                                TimedServer.class.getName()));
    }

    /** Starts the server of another build, without classes of this build. */
    static BenchServer ofBuild(Path dist, Map<String, String> variables)
            throws IOException, InterruptedException {
        return ofBuild(dist, variables, List.of());
    }

    /** Starts the server of another build with additional JVM flags. */
    public static BenchServer ofBuild(Path dist, Map<String, String> variables, List<String> flags)
            throws IOException, InterruptedException {
        return start(
                variables,
                _ -> {
                    var arguments = new ArrayList<>(flags);
                    arguments.addAll(
                            List.of(
                                    "-Dash.dist=" + dist,
                                    "-cp",
                                    jars(dist.resolve("server")),
                                    "dev.ash.server.ServerMain"));
                    return arguments;
                });
    }

    /** Returns the JVM arguments for a server that uses a directory. */
    private interface Program {
        List<String> arguments(Path directory) throws IOException;
    }

    private static BenchServer start(Map<String, String> variables, Program program)
            throws IOException, InterruptedException {
        // A short path, because socket paths are limited; searchable by the uids of sandboxes.
        var directory = Files.createTempDirectory("ash-bench-");
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx--x--x"));
        var process = launch(directory, variables, program.arguments(directory));
        try {
            return new BenchServer(directory, process);
        } catch (IOException | RuntimeException e) {
            process.destroy();
            throw new IOException(Files.readString(log(directory)), e);
        }
    }

    private static Process launch(
            Path directory, Map<String, String> variables, List<String> arguments)
            throws IOException {
        var builder =
                new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--enable-native-access=ALL-UNNAMED");
        builder.command().addAll(arguments);
        var extra = System.getenv("ASH_BENCH_JVM"); // for example flags of a profiler
        if (extra != null) {
            builder.command().addAll(1, List.of(extra.split(" ")));
        }
        var environment = builder.environment();
        environment.keySet().retainAll(Set.of("PATH", "LANG", "TERM"));
        environment.put("HOME", directory.toString());
        environment.put("ASH_PORT", "0");
        environment.put("ASH_DATA_DIR", data(directory).toString());
        environment.put("ASH_ENGINE", "demo");
        environment.put("ASH_PREWARM", "0");
        environment.put("ASH_GATEWAY", "0");
        environment.putAll(variables);
        return builder.redirectErrorStream(true)
                .redirectOutput(log(directory).toFile())
                .directory(directory.toFile())
                .start();
    }

    private static Path dist() {
        var configured = System.getProperty("ash.dist");
        if (configured != null) {
            return Path.of(configured).toAbsolutePath();
        }
        try {
            var source = BenchServer.class.getProtectionDomain().getCodeSource().getLocation();
            return Path.of(source.toURI()).resolve("../..").normalize(); // dist/bench/….jar
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String jars(Path program) throws IOException {
        try (var files = Files.list(program)) {
            return files.map(Path::toString)
                    .filter(name -> name.endsWith(".jar"))
                    .sorted()
                    .collect(Collectors.joining(File.pathSeparator));
        }
    }

    private static Path data(Path directory) {
        return directory.resolve("data");
    }

    private static Path log(Path directory) {
        return directory.resolve("server.log");
    }

    private static Path times(Path directory) {
        return directory.resolve("published");
    }

    /** Returns the publication times of all events in order, in {@link System#nanoTime}. */
    long[] published() throws IOException {
        var times = TimedServer.times(times(directory));
        var published = new long[(int) times.get(0)];
        times.get(1, published);
        return published;
    }

    private int awaitPort() throws IOException, InterruptedException {
        var file = data(directory).resolve("server.pid");
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (process.isAlive() && System.nanoTime() < deadline) {
            if (Files.exists(file)) {
                var found = PORT.matcher(Files.readString(file));
                if (found.find()) {
                    return Integer.parseInt(found.group(1));
                }
            }
            Thread.sleep(20);
        }
        throw new IOException("the server did not start");
    }

    /** Deploys the only agent, with a prompt and this file. */
    public void deploy(String file, byte[] content) throws IOException, InterruptedException {
        var encoder = Base64.getEncoder();
        post(
                "/api/agents",
                """
                {"name":"quick","files":[{"path":"CLAUDE.md","content":"%s"},\
                {"path":"%s","content":"%s"}]}"""
                        .formatted(
                                encoder.encodeToString("You are quick.\n".getBytes(UTF_8)),
                                file,
                                encoder.encodeToString(content)));
    }

    BenchSession session() throws IOException, InterruptedException {
        return session("");
    }

    /** {@code more} is appended to the request, such as {@code ,"limits":{"pids":100}}. */
    BenchSession session(String more) throws IOException, InterruptedException {
        var response = post("/api/sessions", "{\"agent\":\"quick\"" + more + "}");
        var found = SESSION.matcher(response);
        if (!found.find()) {
            throw new IOException("no session in " + response);
        }
        return new BenchSession(this, found.group(1));
    }

    public String post(String path, String body) throws IOException, InterruptedException {
        return send(request(path).POST(HttpRequest.BodyPublishers.ofString(body)).build());
    }

    public String get(String path) throws IOException, InterruptedException {
        return send(request(path).build());
    }

    void delete(String path) throws IOException, InterruptedException {
        send(request(path).DELETE().build());
    }

    private String send(HttpRequest request) throws IOException, InterruptedException {
        var response = client.send(request, HttpResponse.BodyHandlers.ofString());
        if (response.statusCode() >= 300) {
            throw new IOException(request.uri() + ": " + response.body());
        }
        return response.body();
    }

    /** Opens the response stream and closes it after the first byte. */
    public void begin(String path, String body) throws IOException, InterruptedException {
        var request = request(path).POST(HttpRequest.BodyPublishers.ofString(body)).build();
        try (var stream = client.send(request, HttpResponse.BodyHandlers.ofInputStream()).body()) {
            stream.read();
        }
    }

    /** Sends a request and returns the lines of the response stream. */
    public ResponseLines stream(String path, String body) throws IOException, InterruptedException {
        var request = request(path).POST(HttpRequest.BodyPublishers.ofString(body)).build();
        long begin = System.nanoTime();
        var response = client.send(request, HttpResponse.BodyHandlers.ofInputStream());
        return new ResponseLines(
                begin, new BufferedReader(new InputStreamReader(response.body(), UTF_8)));
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .header("Authorization", "Bearer " + key)
                .header("Content-Type", "application/json");
    }

    EventReader follow(String path) throws IOException {
        return EventReader.open(
                port,
                "GET %s HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer %s\r\n\r\n"
                        .formatted(path, key));
    }

    /** Waits until bridges use the AOT cache: earlier ones start more slowly. */
    void awaitAotCache() throws IOException, InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(3);
        while (!hasAotCache()) {
            if (System.nanoTime() > deadline || !process.isAlive()) {
                throw new IOException("the AOT cache of the bridge was not created");
            }
            Thread.sleep(50);
        }
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

    long pid() {
        return process.pid();
    }

    public Path directory() {
        return directory;
    }

    @Override
    public void close() throws IOException {
        client.shutdownNow();
        process.destroy();
        try {
            if (!process.waitFor(30, TimeUnit.SECONDS)) {
                process.destroyForcibly().waitFor();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        try (var files = Files.walk(directory)) {
            for (var file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
