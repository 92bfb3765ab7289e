package dev.ash.e2e;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A real server process on a fresh data directory. Closing it sends SIGTERM, as {@code ash stop}
 * does, and fails the test if a process of it or of its sandboxes is left.
 */
public final class AshServer implements AutoCloseable {
    /** A variable that sandboxes get from the host, and that nothing here has a use for. */
    public static final String MARKED = "NODE_PATH";

    /** In the environment of every process below the server, as a name that is passed on. */
    private final String marker;

    private final Map<String, String> environment;
    private final ServerLaunch launch;
    private final Api api;
    private boolean stopped;

    private AshServer(Map<String, String> environment, ServerLaunch launch, Api api) {
        this.environment = environment;
        this.marker = environment.get(MARKED);
        this.launch = launch;
        this.api = api;
    }

    /** With the demo engine, and what else the environment asks for. */
    public static AshServer start(Map<String, String> environment) {
        return start(environment, TestFolder.create());
    }

    public static AshServer start() {
        return start(Map.of());
    }

    /** On a data directory that may have been used before. */
    public static AshServer start(Map<String, String> environment, TestFolder folder) {
        return start(environment, folder, List.of());
    }

    /** The server ended before it could be used. */
    public static final class NotStarted extends AssertionError {
        private static final long serialVersionUID = 1L;

        private final int exitCode;

        private NotStarted(ServerLaunch launch) {
            super("the server did not start:\n" + launch.output());
            this.exitCode = launch.process().exitValue();
        }

        public int exitCode() {
            return exitCode;
        }
    }

    /** In a JVM with these flags, besides those that let it start quickly. */
    public static AshServer start(
            Map<String, String> environment, TestFolder folder, List<String> flags) {
        var prepared = Prepared.get();
        if (!environment.containsKey("ASH_DATA_DIR")) {
            prepared.into(folder.data());
        }
        var all = new ArrayList<>(prepared.flags());
        all.addAll(flags);
        return startBare(environment, folder, all);
    }

    /** As a stranger would start it, with nothing prepared. */
    static AshServer startBare(
            Map<String, String> environment, TestFolder folder, List<String> flags) {
        return startBare(environment, folder, flags, List.of());
    }

    /** Started by another program, such as one that takes rights away. */
    public static AshServer startBy(
            List<String> starter, Map<String, String> environment, TestFolder folder) {
        var prepared = Prepared.get();
        prepared.into(folder.data());
        return startBare(environment, folder, prepared.flags(), starter);
    }

    private static AshServer startBare(
            Map<String, String> environment,
            TestFolder folder,
            List<String> flags,
            List<String> starter) {
        var marker = "/nowhere/ash-e2e-" + UUID.randomUUID();
        var all = new HashMap<String, String>();
        all.put("ASH_ENGINE", "demo");
        all.put("ASH_PREWARM", "0"); // tests count processes; those of the pool ask for it
        all.put("ASH_GATEWAY", "0"); // tests of devices ask for it
        all.put(MARKED, marker);
        all.put("ANTHROPIC_API_KEY", "sk-ash-e2e-key-of-nobody");
        all.putAll(environment);
        var launch = ServerLaunch.of(all, folder, flags, starter);
        int port = awaitPort(launch);
        var api = new Api("http://127.0.0.1:" + port, readKey(launch, all));
        return new AshServer(Map.copyOf(all), launch, api);
    }

    /** Another server in the place of this one, which was stopped or killed. */
    public AshServer startAgain() {
        assertThat(stopped).as("stopped or killed before").isTrue();
        api.close();
        return start(environment, launch.folder());
    }

    private static int awaitPort(ServerLaunch launch) {
        var pidFile = launch.data().resolve("server.pid");
        await().atMost(Duration.ofMinutes(3)) // on a machine that has much else to do
                .pollInterval(Duration.ofMillis(20))
                .until(() -> !launch.process().isAlive() || port(pidFile, launch) > 0);
        int port = port(pidFile, launch);
        if (port == 0) {
            throw new NotStarted(launch);
        }
        return port;
    }

    /** A server that was killed has left its file behind. */
    private static int port(Path pidFile, ServerLaunch launch) {
        try {
            var json = new JsonMapper().readTree(Files.readAllBytes(pidFile));
            boolean current = json.path("pid").asLong(0) == launch.process().pid();
            return current ? json.path("port").asInt(0) : 0;
        } catch (IOException | JacksonException e) {
            return 0; // not there yet
        }
    }

    private static String readKey(ServerLaunch launch, Map<String, String> environment) {
        try {
            var key = environment.get("ASH_API_KEY");
            return key != null
                    ? key
                    : Files.readString(launch.data().resolve("initial-api-key")).strip();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public Api api() {
        return api;
    }

    public Path data() {
        return launch.data();
    }

    public TestFolder folder() {
        return launch.folder();
    }

    public Process process() {
        return launch.process();
    }

    /** What the server wrote to stdout and stderr. */
    public String output() {
        return launch.output();
    }

    /** Unique to this server. */
    public String marker() {
        return marker;
    }

    /** Deploys an agent by upload: relative path to text. */
    public JsonNode deploy(String name, Map<String, String> files) {
        var uploads =
                files.entrySet().stream()
                        .map(
                                file ->
                                        Map.of(
                                                "path",
                                                file.getKey(),
                                                "content",
                                                base64(file.getValue())))
                        .toList();
        return api.post("/api/agents", Map.of("name", name, "files", uploads))
                .expect(201)
                .at("/agent");
    }

    /** Deploys the least agent there can be. */
    public void deploy(String name) {
        deploy(name, Map.of("CLAUDE.md", "You are " + name + ".\n"));
    }

    public TestSession session(String agent) {
        return session(Map.of("agent", agent));
    }

    public TestSession session(Map<String, ?> request) {
        return new TestSession(this, api.post("/api/sessions", request).expect(201).at("/session"));
    }

    static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(UTF_8));
    }

    /** SIGTERM, then the proof that nothing is left; the data directory stays. */
    public void stop() {
        stop(Duration.ofSeconds(60));
    }

    void stop(Duration patience) {
        if (stopped) {
            return;
        }
        stopped = true;
        var namespaces = Processes.namespacesOf(marker);
        var before = Processes.now();
        launch.process().destroy();
        try {
            if (!launch.process().waitFor(patience.toMillis(), TimeUnit.MILLISECONDS)) {
                launch.process().destroyForcibly();
                throw new AssertionError("the server did not stop:\n" + launch.output());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", e);
        }
        assertNothingIsLeft(namespaces, before);
    }

    /** SIGKILL; what the server leaves behind is the test's business. */
    public void kill() throws InterruptedException {
        stopped = true;
        launch.process().destroyForcibly().waitFor();
    }

    /** Namespaces that died may get their number used again, but not by older processes. */
    private void assertNothingIsLeft(Set<String> namespaces, long before) {
        assertThat(
                        Processes.matching(
                                process ->
                                        process.mentions(marker)
                                                || process.mentions(data().toString())
                                                || (namespaces.contains(process.pidNamespace())
                                                        && process.start() <= before)))
                .as("processes that outlived their server")
                .isEmpty();
        assertThat(Mounts.below(data())).as("mounts that outlived their server").isEmpty();
    }

    @Override
    public void close() {
        try {
            stop();
        } finally {
            api.close();
            launch.folder().close();
        }
    }
}
