package dev.ash.e2e.conformance;

import static org.awaitility.Awaitility.await;

import dev.ash.e2e.AshServer;
import dev.ash.e2e.Frame;
import dev.ash.e2e.Resources;
import dev.ash.e2e.TestSession;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Deploys agents with {@code document_bridge.py}, and reads the records of that bridge. */
final class DocumentBridgeAgent {
    private static final JsonMapper MAPPER = new JsonMapper();

    /** Deploys an agent whose bridge starts in this mode; empty for the plain one. */
    static void deploy(AshServer server, String name, String mode) {
        var files = new HashMap<>(Resources.agentWithBridge("document_bridge.py"));
        if (!mode.isEmpty()) {
            files.put("mode", mode);
        }
        server.deploy(name, files);
    }

    /** Returns a prompt that makes the bridge send these lines unchanged. */
    static String prompt(String word, String... lines) {
        return word + (lines.length == 0 ? "" : "\n" + String.join("\n", lines));
    }

    /**
     * Makes the bridge send the lines and {@code done}; returns the frames that a client receives.
     */
    static List<Frame> say(TestSession session, String... lines) {
        return session.ask(prompt("SAY", lines));
    }

    /** Returns each line that the bridge of this session received, without its newline. */
    static List<String> received(TestSession session) {
        return session.workspaceFile("received.jsonl").lines().toList();
    }

    static List<JsonNode> commands(TestSession session) {
        return received(session).stream().map(MAPPER::readTree).toList();
    }

    static List<JsonNode> commands(TestSession session, String cmd) {
        return commands(session).stream()
                .filter(command -> command.path("cmd").asString("").equals(cmd))
                .toList();
    }

    /** Waits until the bridge has received a matching line. */
    static String awaitLine(TestSession session, Predicate<String> wanted) {
        return await().atMost(Duration.ofSeconds(30))
                .pollInterval(Duration.ofMillis(10))
                .until(
                        () -> received(session).stream().filter(wanted).findFirst().orElse(""),
                        line -> !line.isEmpty());
    }

    /** Returns the start records of all processes of the bridge. */
    static List<JsonNode> starts(TestSession session) {
        return session.workspaceFile("starts.jsonl").lines().map(MAPPER::readTree).toList();
    }

    /** Returns the environment of the bridge that was started last. */
    static Map<String, String> environment(TestSession session) {
        var environment = new HashMap<String, String>();
        for (var entry : starts(session).getLast().path("environment").properties()) {
            environment.put(entry.getKey(), entry.getValue().asString());
        }
        return environment;
    }

    private DocumentBridgeAgent() {}
}
