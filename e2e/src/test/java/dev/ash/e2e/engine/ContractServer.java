package dev.ash.e2e.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.e2e.AshExtension;
import dev.ash.e2e.Frame;
import dev.ash.e2e.Resources;
import dev.ash.e2e.TestSession;
import dev.ash.e2e.model.ModelRequest;
import dev.ash.e2e.model.ScriptedModelApi;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import tools.jackson.databind.JsonNode;

/**
 * The server of one engine in the contract. Tests share two sessions, because some engines start
 * slowly: one that runs all calls, and one that asks before each call. Not thread-safe.
 */
final class ContractServer {
    static final String AGENT = "prober";
    private static final Map<String, ?> PLAIN = Map.of();
    private static final Map<String, ?> ASKING = Map.of("permissionMode", "ask");

    /** Streams the answer in parts. */
    static final Map<String, ?> PARTIAL = Map.of("includePartialMessages", true);

    private final TestedEngine engine;
    private final AshExtension ash;
    private final Map<Map<String, ?>, TestSession> idle = new HashMap<>();

    ContractServer(TestedEngine engine, AshExtension ash) {
        this.engine = engine;
        this.ash = ash;
    }

    /** Configures a server that has the keys of all providers. */
    static AshExtension extension(TestedEngine engine) {
        var ash = AshExtension.engines(engine.name()).streamChunkBytes(5);
        for (var key : ProviderKey.values()) {
            ash.with(key.variable(), key.value());
        }
        return ash.agent(
                AGENT,
                Map.of(
                        "CLAUDE.md",
                        "Instructions of the agent, said once.",
                        "dump.py",
                        Resources.text("dump.py"),
                        "echo.py",
                        Resources.text("engines/mcp_echo.py"),
                        ".mcp.json",
                        "{\"mcpServers\":{\"echo\":{\"command\":\"python3\","
                                + "\"args\":[\"/workspace/echo.py\"],\"env\":{\"GREETING\":\"hello\"}}}}"));
    }

    TestedEngine engine() {
        return engine;
    }

    AshExtension ash() {
        return ash;
    }

    ScriptedModelApi model() {
        return ash.model();
    }

    /** Runs a test in the shared session that runs all calls. */
    void inSession(Consumer<TestSession> test) {
        inSharedSession(PLAIN, test);
    }

    /** Runs a test in the shared session that asks before each call. */
    void inAskingSession(Consumer<TestSession> test) {
        inSharedSession(ASKING, test);
    }

    /** A session is used again only if the test succeeds. */
    private void inSharedSession(Map<String, ?> options, Consumer<TestSession> test) {
        var session = idle.remove(options);
        if (session == null) {
            session = session(options);
        }
        test.accept(session);
        idle.put(options, session);
    }

    /** Runs a test in a session of its own, which it may damage. */
    void inNewSession(Map<String, ?> options, Consumer<TestSession> test) {
        var session = session(options);
        try {
            test.accept(session);
        } finally {
            session.end();
        }
    }

    private TestSession session(Map<String, ?> options) {
        var request = new HashMap<String, Object>(options);
        request.put("agent", AGENT);
        return ash.session(request);
    }

    /** Asks the model for a text and returns its call, which contains the whole conversation. */
    ModelRequest callAfter(TestSession session, String word) {
        var frames = session.ask("NEW\nSAY:" + word);
        assertThat(Frame.said(frames)).as("%s", frames).isEqualTo(word);
        return model().awaitTurn("SAY:" + word);
    }

    static List<JsonNode> messages(List<Frame> frames) {
        return Frame.only("message", frames).stream().map(Frame::json).toList();
    }

    static String deltas(List<Frame> frames) {
        var text = new StringBuilder();
        Frame.only("text_delta", frames)
                .forEach(frame -> text.append(frame.json().path("delta").asString()));
        return text.toString();
    }
}
