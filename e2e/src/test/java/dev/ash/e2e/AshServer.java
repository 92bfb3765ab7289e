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
 * Real server process on a fresh data directory. Closing it sends SIGTERM, as {@code ash stop}
 * does, and fails the test if a process of the server or of its sandboxes remains.
 */
public final class AshServer implements AutoCloseable {
    /** Variable that the server passes to sandboxes and that the tests do not otherwise use. */
    public static final String MARKER_VARIABLE = "NODE_PATH";

    /**
     * Value of the marker variable in the environment of the server and all its child processes.
     */
    private final String marker;

    private final Map<String, String> environment;
    private final ServerLaunch launch;
    private final Api api;
    private boolean stopped;

    private AshServer(Map<String, String> environment, ServerLaunch launch, Api api) {
        this.environment = environment;
        this.marker = environment.get(MARKER_VARIABLE);
        this.launch = launch;
        this.api = api;
    }

    /** Starts a server with the demo engine unless the environment selects another one. */
    public static AshServer start(Map<String, String> environment) {
        return start(environment, TestDirectory.create());
    }

    public static AshServer start() {
        return start(Map.of());
    }

    /** Starts a server on a data directory that may already contain data. */
    public static AshServer start(Map<String, String> environment, TestDirectory directory) {
        return start(environment, directory, List.of());
    }

    /** Thrown when the server exits before it listens. */
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

    /** Starts a server in a JVM with these flags in addition to those that shorten startup. */
    public static AshServer start(
            Map<String, String> environment, TestDirectory directory, List<String> flags) {
        var startupData = StartupData.get();
        if (!environment.containsKey("ASH_DATA_DIR")) {
            startupData.copyTo(directory.data());
        }
        var all = new ArrayList<>(startupData.flags());
        all.addAll(flags);
        return startBare(environment, directory, all);
    }

    /** Starts a server without startup data and flags, as on a new machine. */
    static AshServer startBare(
            Map<String, String> environment, TestDirectory directory, List<String> flags) {
        return startBare(environment, directory, flags, List.of());
    }

    /** Starts a server through another program, for example one that drops privileges. */
    public static AshServer startWith(
            List<String> launcher, Map<String, String> environment, TestDirectory directory) {
        var startupData = StartupData.get();
        startupData.copyTo(directory.data());
        return startBare(environment, directory, startupData.flags(), launcher);
    }

    private static AshServer startBare(
            Map<String, String> environment,
            TestDirectory directory,
            List<String> flags,
            List<String> launcher) {
        var marker = "/nowhere/ash-e2e-" + UUID.randomUUID();
        var all = new HashMap<String, String>();
        all.put("ASH_ENGINE", "demo");
        all.put("ASH_PREWARM", "0"); // tests count processes; pool tests enable it
        all.put("ASH_GATEWAY", "0"); // device tests enable it
        all.put(MARKER_VARIABLE, marker);
        all.put("ANTHROPIC_API_KEY", "sk-ash-e2e-key-of-nobody");
        all.putAll(environment);
        var launch = ServerLaunch.of(all, directory, flags, launcher);
        int port = awaitPort(launch);
        var api = new Api("http://127.0.0.1:" + port, readKey(launch, all));
        return new AshServer(Map.copyOf(all), launch, api);
    }

    /** Starts a new server on the same directory; this one must have been stopped or killed. */
    public AshServer startAgain() {
        assertThat(stopped).as("previous server stopped or killed").isTrue();
        api.close();
        return start(environment, launch.directory());
    }

    private static int awaitPort(ServerLaunch launch) {
        var pidFile = launch.data().resolve("server.pid");
        await().atMost(Duration.ofMinutes(3)) // the machine may be busy
                .pollInterval(Duration.ofMillis(20))
                .until(() -> !launch.process().isAlive() || port(pidFile, launch) > 0);
        int port = port(pidFile, launch);
        if (port == 0) {
            throw new NotStarted(launch);
        }
        return port;
    }

    /** Returns 0 if the file is missing or was left by a killed server. */
    private static int port(Path pidFile, ServerLaunch launch) {
        try {
            var json = new JsonMapper().readTree(Files.readAllBytes(pidFile));
            boolean current = json.path("pid").asLong(0) == launch.process().pid();
            return current ? json.path("port").asInt(0) : 0;
        } catch (IOException | JacksonException e) {
            return 0; // not written yet
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

    public TestDirectory directory() {
        return launch.directory();
    }

    public Process process() {
        return launch.process();
    }

    /** Returns the stdout and stderr of the server. */
    public String output() {
        return launch.output();
    }

    /** Returns the unique marker of this server's processes. */
    public String marker() {
        return marker;
    }

    /** Deploys an agent by upload from a map of relative paths to texts. */
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

    /** Deploys a minimal agent. */
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

    /**
     * Stops the server with SIGTERM and asserts that no process or mount remains; keeps the data
     * directory.
     */
    public void stop() {
        stop(Duration.ofSeconds(60));
    }

    void stop(Duration timeout) {
        if (stopped) {
            return;
        }
        stopped = true;
        var namespaces = Processes.namespacesOf(marker);
        var before = Processes.now();
        launch.process().destroy();
        try {
            if (!launch.process().waitFor(timeout.toMillis(), TimeUnit.MILLISECONDS)) {
                launch.process().destroyForcibly();
                throw new AssertionError("the server did not stop:\n" + launch.output());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", e);
        }
        assertNoLeftovers(namespaces, before);
    }

    /** Kills the server with SIGKILL. The test is responsible for remaining processes. */
    public void kill() throws InterruptedException {
        stopped = true;
        launch.process().destroyForcibly().waitFor();
    }

    /** Ignores younger processes: the kernel may reuse the number of a deleted namespace. */
    private void assertNoLeftovers(Set<String> namespaces, long before) {
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
            launch.directory().close();
        }
    }
}
