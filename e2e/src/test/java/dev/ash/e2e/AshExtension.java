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
 * Starts a real server for tests and stops it after them, with its folder and its model API: once
 * for the class where the field is static, else once for each test.
 *
 * <pre>{@code
 * @RegisterExtension
 * static final AshExtension ash = AshExtension.claude().gateway().agent("hello");
 * }</pre>
 *
 * <p>The first part says what answers the sessions; what follows is applied at the start.
 */
public final class AshExtension
        implements BeforeAllCallback,
                AfterAllCallback,
                BeforeEachCallback,
                AfterEachCallback,
                AutoCloseable {
    /** The server's key for Codex, which no sandbox may ever see. */
    public static final String CODEX_KEY = "sk-codex-e2e-key-of-nobody";

    /** The agent of the {@link #sampleProject}. */
    public static final String AGENT = "gardener";

    /** Makes the settings that an engine needs. */
    private interface Engine {
        Map<String, String> settings(TestFolder folder, ScriptedModelApi model) throws IOException;
    }

    /** Writes files that a server finds when it starts. */
    public interface Preparation {
        void in(TestFolder folder) throws Exception;
    }

    private final Engine engine;
    private final Map<String, Function<TestFolder, String>> settings = new LinkedHashMap<>();
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
        return new AshExtension(
                (_, model) -> EngineSettings.claude(NeedsClaude.Condition.program(), model));
    }

    /** The same, with a copy of the CLI's stdout in each sandbox's home. */
    public static AshExtension claudeWithTee() {
        return new AshExtension(
                (folder, model) -> EngineSettings.claude(EngineSettings.tee(folder), model));
    }

    /** Sessions run a script of the test resources in the place of Claude Code. */
    public static AshExtension scriptedClaude(String resource) {
        return new AshExtension(
                (folder, model) ->
                        EngineSettings.claude(EngineSettings.script(folder, resource), model));
    }

    /** Sessions run the real Codex CLI; needs {@link NeedsCodex}. */
    public static AshExtension codex() {
        return new AshExtension((_, model) -> EngineSettings.codex(model));
    }

    /** Both CLIs; Claude Code is the default. */
    public static AshExtension claudeAndCodex() {
        return new AshExtension(
                (_, model) -> {
                    var both = new HashMap<>(EngineSettings.codex(model));
                    both.putAll(EngineSettings.claude(NeedsClaude.Condition.program(), model));
                    return both;
                });
    }

    /** Sandboxes run the {@code bridge.py} that their agent brings. */
    public static AshExtension agentsBridge() {
        return new AshExtension((_, _) -> Resources.SEED_BRIDGE);
    }

    public AshExtension with(String name, String value) {
        return with(name, _ -> value);
    }

    /** A setting that names something in the server's folder. */
    public AshExtension with(String name, Function<TestFolder, String> value) {
        settings.put(name, value);
        return this;
    }

    /** Listens for devices, on any port. */
    public AshExtension gateway() {
        return with("ASH_GATEWAY", "1").with("ASH_GATEWAY_PORT", "0");
    }

    /** Lets sessions work in {@link #projects}. */
    public AshExtension projectRoots() {
        return with("ASH_PROJECT_ROOTS", folder -> projects(folder).toString());
    }

    /** Lets pairs work in {@link #projects} and keeps their runs in the server's folder. */
    public AshExtension pairs() {
        return projectRoots()
                .with("ASH_PAIR_DIR", folder -> folder.path().resolve("agentpair").toString());
    }

    /** Adds a repository in which a session can work, and the agent {@link #AGENT}. */
    public AshExtension sampleProject() {
        return projectRoots()
                .prepare(folder -> SampleRepository.make(projects(folder).resolve("app")))
                .agent(AGENT);
    }

    /** Deploys an agent with nothing but a prompt. */
    public AshExtension agent(String name) {
        return agent(name, Map.of("CLAUDE.md", "You are " + name + ".\n"));
    }

    /** Deploys an agent: relative path to text. */
    public AshExtension agent(String name, Map<String, String> files) {
        agents.put(name, files);
        return this;
    }

    /** Deploys an agent that brings this bridge of the test resources. */
    public AshExtension agentWithBridge(String name, String bridge) {
        return agent(name, Resources.agentWithBridge(bridge));
    }

    /** The model API writes its streams in pieces of so many bytes. */
    public AshExtension piecesOf(int bytes) {
        pieceBytes = bytes;
        return this;
    }

    /** Does something on the server before any test. */
    public AshExtension afterStart(Consumer<AshExtension> action) {
        afterStart = action;
        return this;
    }

    /** The JVM of the first server gets this flag, those after it do not. */
    public AshExtension flag(String flag) {
        flags.add(flag);
        return this;
    }

    /** Puts something into the folder before the server starts. */
    public AshExtension prepare(Preparation contents) {
        preparation = contents;
        return this;
    }

    /** One server for all classes that use this extension: it stops after all tests. */
    public AshExtension shared() {
        isShared = true;
        return this;
    }

    /** Starts the server in the middle of a test, which closes it. */
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
        var folder = TestFolder.create();
        preparation.in(folder);
        model = ScriptedModelApi.start(pieceBytes);
        var environment = new HashMap<>(engine.settings(folder, model));
        settings.forEach((name, value) -> environment.put(name, value.apply(folder)));
        server = AshServer.start(environment, folder, flags);
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

    /** The process that runs now. */
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

    public TestFolder folder() {
        return server.folder();
    }

    /** The folder that {@link #projectRoots} opens to sessions. */
    public Path projects() {
        return projects(folder());
    }

    private static Path projects(TestFolder folder) {
        return folder.path().resolve("projects");
    }

    public SampleRepository project() {
        return new SampleRepository(projects().resolve("app"));
    }

    /** Creates a token for a device; needs {@link #gateway}. */
    public Pairing pair() {
        return DeviceClient.pair(server);
    }

    /** A path of the REST listener, which takes sockets too. */
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

    /** The session as the server sees it that runs now. */
    public TestSession session(TestSession before) {
        return before.on(server);
    }

    /** SIGKILL. */
    public void kill() throws InterruptedException {
        server.kill();
    }

    /** SIGTERM, then the proof that nothing is left. */
    public void stop() {
        server.stop();
    }

    /** Starts another server in the place of one that was stopped or killed. */
    public void startAgain() {
        server = server.startAgain();
    }
}
