package dev.ash.e2e;

import dev.ash.e2e.gateway.DeviceClient;
import dev.ash.e2e.gateway.DeviceClient.Pairing;
import dev.ash.e2e.gateway.SampleRepository;
import dev.ash.e2e.model.ScriptedModelApi;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import tools.jackson.databind.JsonNode;

/**
 * Starts a real server with its own directory and model API, and stops it after the tests: once per
 * class if the field is static, otherwise once per test.
 *
 * <pre>{@code
 * @RegisterExtension
 * static final AshExtension ash = AshExtension.claude().gateway().agent("hello");
 * }</pre>
 *
 * <p>The factory method selects the engine; the other methods configure the server before it
 * starts.
 */
public final class AshExtension
        implements BeforeAllCallback,
                AfterAllCallback,
                BeforeEachCallback,
                AfterEachCallback,
                AutoCloseable {
    /** API key of the server for OpenAI; sandboxes must never see it. */
    public static final String CODEX_KEY = "sk-codex-e2e-key-of-nobody";

    /** API key of the server for Google; sandboxes must never see it. */
    static final String GEMINI_KEY = "gemini-e2e-key-of-nobody";

    /** The agent of the {@link #sampleProject}. */
    public static final String AGENT = "gardener";

    /** Creates the settings that an engine needs. */
    private interface Engine {
        Map<String, String> settings(TestDirectory directory, ScriptedModelApi model)
                throws IOException;
    }

    /** Writes files before the server starts. */
    public interface Preparation {
        void in(TestDirectory directory) throws Exception;
    }

    private final Engine engine;
    private final Map<String, Function<TestDirectory, String>> settings = new LinkedHashMap<>();
    private final Map<String, Map<String, String>> agents = new LinkedHashMap<>();
    private final List<String> flags = new ArrayList<>();
    private Preparation preparation = _ -> {};
    private Consumer<AshExtension> afterStart = _ -> {};
    private int pieceBytes;
    private boolean isShared;
    private boolean startedForEach;
    private ScriptedModelApi model;
    private AshServer server;

    private AshExtension(Engine engine) {
        this.engine = engine;
    }

    /** Sessions run the built-in engine. */
    public static AshExtension demo() {
        return new AshExtension((_, _) -> Map.of());
    }

    /** Sessions run the real Claude Code CLI; needs {@link NeedsClaude}. */
    public static AshExtension claude() {
        return engines("claude");
    }

    /** Sessions run the real Claude Code CLI, which copies its stdout to each sandbox's home. */
    public static AshExtension claudeWithTee() {
        return new AshExtension(
                (directory, model) -> EngineSettings.claude(EngineSettings.tee(directory), model));
    }

    /** Sessions run a script of the test resources instead of Claude Code. */
    public static AshExtension scriptedClaude(String resource) {
        return new AshExtension(
                (directory, model) ->
                        EngineSettings.claude(EngineSettings.script(directory, resource), model));
    }

    /** Sessions run the real Codex CLI; needs {@link NeedsCodex}. */
    public static AshExtension codex() {
        return engines("codex");
    }

    /**
     * Sessions run the real CLIs with these names, by default the last; needs {@link NeedsEngine}.
     */
    public static AshExtension engines(String... names) {
        return new AshExtension((_, model) -> EngineSettings.real(List.of(names), model));
    }

    /** Sandboxes run the {@code bridge.py} of their agent. */
    public static AshExtension agentsBridge() {
        return new AshExtension((_, _) -> Resources.SEED_BRIDGE);
    }

    public AshExtension with(String name, String value) {
        return with(name, _ -> value);
    }

    /** Adds a setting whose value depends on the server's directory. */
    public AshExtension with(String name, Function<TestDirectory, String> value) {
        settings.put(name, value);
        return this;
    }

    /** Enables the gateway on a free port. */
    public AshExtension gateway() {
        return with("ASH_GATEWAY", "1").with("ASH_GATEWAY_PORT", "0");
    }

    /** Allows sessions to work in {@link #projects}. */
    public AshExtension projectRoots() {
        return with("ASH_PROJECT_ROOTS", directory -> projects(directory).toString());
    }

    /**
     * Allows pairs to work in {@link #projects} and stores their runs in the server's directory.
     */
    public AshExtension pairs() {
        return projectRoots()
                .with(
                        "ASH_PAIR_DIR",
                        directory -> directory.path().resolve("agentpair").toString());
    }

    /** Adds a repository in which a session can work, and the agent {@link #AGENT}. */
    public AshExtension sampleProject() {
        return projectRoots()
                .prepare(directory -> SampleRepository.make(projects(directory).resolve("app")))
                .agent(AGENT);
    }

    /** Deploys an agent that has only a prompt. */
    public AshExtension agent(String name) {
        return agent(name, Map.of("CLAUDE.md", "You are " + name + ".\n"));
    }

    /** Deploys an agent from a map of relative paths to texts. */
    public AshExtension agent(String name, Map<String, String> files) {
        agents.put(name, files);
        return this;
    }

    /** Deploys an agent with this bridge of the test resources. */
    public AshExtension agentWithBridge(String name, String bridge) {
        return agent(name, Resources.agentWithBridge(bridge));
    }

    /** Makes the model API write its streams in pieces of this size. */
    public AshExtension streamChunkBytes(int bytes) {
        pieceBytes = bytes;
        return this;
    }

    /** Runs an action after the server has started and before the tests. */
    public AshExtension afterStart(Consumer<AshExtension> action) {
        afterStart = action;
        return this;
    }

    /** Passes a flag to the JVM of the first server, but not to restarted servers. */
    public AshExtension flag(String flag) {
        flags.add(flag);
        return this;
    }

    /** Prepares the directory before the server starts. */
    public AshExtension prepare(Preparation contents) {
        preparation = contents;
        return this;
    }

    /** Shares one server among all classes that use this extension; it stops after all tests. */
    public AshExtension shared() {
        isShared = true;
        return this;
    }

    /** Starts the server within a test; the test must close it. */
    public AshExtension open() {
        try {
            start();
            return this;
        } catch (Exception e) {
            close();
            throw new AssertionError(e);
        }
    }

    @Override
    public synchronized void beforeAll(ExtensionContext context) throws Exception {
        if (server == null) {
            start();
            if (isShared) {
                AutoCloseable stop = this::close;
                context.getRoot().getStore(Namespace.create(AshExtension.class)).put(this, stop);
            }
        }
    }

    @Override
    public void afterAll(ExtensionContext context) {
        if (!isShared) {
            close();
        }
    }

    @Override
    public void beforeEach(ExtensionContext context) throws Exception {
        if (server == null) {
            startedForEach = true;
            start();
        }
    }

    @Override
    public void afterEach(ExtensionContext context) {
        if (startedForEach) {
            close();
        }
    }

    private void start() throws Exception {
        var directory = TestDirectory.create();
        preparation.in(directory);
        model = ScriptedModelApi.start(pieceBytes);
        var environment = new HashMap<>(engine.settings(directory, model));
        settings.forEach((name, value) -> environment.put(name, value.apply(directory)));
        server = AshServer.start(environment, directory, flags);
        agents.forEach(server::deploy);
        afterStart.accept(this);
    }

    @Override
    public void close() {
        try (var _ = model) {
            if (server != null) {
                server.close();
            }
        } finally {
            server = null;
            model = null;
        }
    }

    /** Returns the current server process. */
    public AshServer server() {
        return server;
    }

    public ScriptedModelApi model() {
        return model;
    }

    public Api api() {
        return server.api();
    }

    public Path data() {
        return server.data();
    }

    public TestDirectory directory() {
        return server.directory();
    }

    /** Returns the directory that {@link #projectRoots} opens to sessions. */
    public Path projects() {
        return projects(directory());
    }

    private static Path projects(TestDirectory directory) {
        return directory.path().resolve("projects");
    }

    public SampleRepository project() {
        return new SampleRepository(projects().resolve("app"));
    }

    /** Creates a pairing token for a device; requires {@link #gateway}. */
    public Pairing pair() {
        return DeviceClient.pair(server);
    }

    /** Returns the WebSocket URI of a path on the REST listener. */
    public URI webSocket(String path) {
        return URI.create(api().base().replaceFirst("http", "ws") + path);
    }

    public String output() {
        return server.output();
    }

    public JsonNode deploy(String name, Map<String, String> files) {
        return server.deploy(name, files);
    }

    public void deploy(String name) {
        server.deploy(name);
    }

    public TestSession session(String agent) {
        return server.session(agent);
    }

    public TestSession session(Map<String, ?> request) {
        return server.session(request);
    }

    /** Returns the session on the current server. */
    public TestSession session(TestSession before) {
        return before.on(server);
    }

    /** Kills the server with SIGKILL. */
    public void kill() throws InterruptedException {
        server.kill();
    }

    /** Stops the server with SIGTERM and asserts that no process or mount remains. */
    public void stop() {
        server.stop();
    }

    /** Starts a new server after the previous one was stopped or killed. */
    public void startAgain() {
        server = server.startAgain();
    }
}
