package dev.ash.e2e.model;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.e2e.NeedsClaude;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Tests the scripted API, first directly and then with the real Claude Code CLI. */
class ScriptedModelApiTest {
    private final JsonMapper mapper = new JsonMapper();
    private ScriptedModelApi api;

    @TempDir Path directory;

    @BeforeEach
    void startApi() {
        api = ScriptedModelApi.start(3);
    }

    @AfterEach
    void stopApi() {
        api.close();
    }

    @Test
    void answersWithAndWithoutStreaming() throws Exception {
        var plain = post(turn("SAY:héllo 🚀", false));
        var stream = post(turn("SAY:héllo 🚀", true));

        assertThat(mapper.readTree(plain.body()).at("/content/0/text").asString())
                .isEqualTo("héllo 🚀");
        assertThat(stream.headers().firstValue("content-type")).contains("text/event-stream");
        assertThat(textOf(stream.body())).isEqualTo("héllo 🚀");
        assertThat(stream.body())
                .startsWith("event: message_start\n")
                .contains("event: content_block_stop\n", "\"stop_reason\":\"end_turn\"")
                .contains("event: message_stop\n");
        assertThat(api.turns()).hasSize(2);
    }

    @Test
    void usesToolAndQuotesItsResult() throws Exception {
        var first = mapper.readTree(post(turn("TOOL:Bash {\"command\":\"ls\"}", false)).body());
        assertThat(first.at("/content/0/name").asString()).isEqualTo("Bash");
        assertThat(first.at("/content/0/input/command").asString()).isEqualTo("ls");
        assertThat(first.path("stop_reason").asString()).isEqualTo("tool_use");

        var body = (ObjectNode) turn("TOOL:Bash {}", false);
        var messages = (ArrayNode) body.path("messages");
        messages.addObject().put("role", "assistant").set("content", first.path("content"));
        var result = messages.addObject().put("role", "user").putArray("content").addObject();
        result.put("type", "tool_result").put("content", "a.txt");
        assertThat(post(body).body()).contains("tool said: a.txt");
    }

    @Test
    void continuesAfterCliResumesCall() throws Exception {
        var body = (ObjectNode) turn("TOOL:Bash {}\nSAY:resumed", false);
        var messages = (ArrayNode) body.path("messages");
        messages.addObject().put("role", "assistant").putArray("content");
        var content = messages.addObject().put("role", "user").putArray("content");
        content.addObject().put("type", "tool_result").put("content", "a.txt");
        content.addObject().put("type", "text").put("text", "Continue from where you left off.");

        assertThat(post(body).body()).contains("resumed");
    }

    @Test
    void usesSeveralToolsInOneMessage() throws Exception {
        var prompt = "TOOLS:[[\"Bash\",{\"command\":\"ls\"}],[\"Read\",{\"file_path\":\"x\"}]]";

        assertThat(post(turn(prompt, true)).body())
                .contains("\"name\":\"Bash\"", "\"name\":\"Read\"", "\"index\":1");
    }

    @Test
    void rejectsRequestsTheGivenNumberOfTimes() throws Exception {
        var body = turn("STATUS:529 1", false);

        var rejected = post(body);

        assertThat(rejected.statusCode()).isEqualTo(529);
        assertThat(rejected.body()).contains("overloaded_error");
        assertThat(post(body).body()).contains("recovered");
    }

    @Test
    void answersOtherRequestsWithATitle() throws Exception {
        var body = mapper.createObjectNode().put("model", "small").put("max_tokens", 1);
        body.putArray("messages").addObject().put("role", "user").put("content", "SAY:no");

        assertThat(post(body).body()).contains("title").doesNotContain("SAY");
        assertThat(api.turns()).isEmpty();
    }

    @Test
    @NeedsClaude
    void servesTheRealCli() throws Exception {
        try (var claude = new Claude(System.getenv("ASH_TEST_CLAUDE"), directory, api.url())) {
            assertThat(claude.ask("SAY:grüße 🚀 日本語").path("result").asString())
                    .isEqualTo("grüße 🚀 日本語");

            var result =
                    claude.ask(
                            "TOOL:Bash {\"command\":\"echo from-the-tool\"}\nSAY:and that was it");
            assertThat(result.path("result").asString()).isEqualTo("and that was it");
            assertThat(api.turns().getLast().toolResults().getLast().text())
                    .contains("from-the-tool");

            assertThat(claude.ask("MANY:25").path("result").asString()).contains("block 24");
            assertThat(claude.messages)
                    .filteredOn(line -> line.path("type").asString().equals("assistant"))
                    .filteredOn(
                            line ->
                                    line.at("/message/content/0/text")
                                            .asString("")
                                            .contains("block"))
                    .hasSize(25);

            assertThat(claude.ask("SLOW:5 1").path("result").asString()).contains("chunk 4");
            assertThat(claude.ask("CUT").path("result").asString())
                    .isEqualTo("whole after the cut");
            assertThat(claude.ask("STATUS:529 1").path("result").asString()).isEqualTo("recovered");
            assertThat(claude.ask("STATUS:401").path("is_error").asBoolean()).isTrue();

            claude.send("HOLD");
            api.awaitTurn("HOLD");
            api.release();
            assertThat(claude.result().path("result").asString()).isEqualTo("holding released");
        }
    }

    private JsonNode turn(String prompt, boolean stream) {
        var body = mapper.createObjectNode().put("model", "m").put("max_tokens", 100);
        body.put("stream", stream);
        body.putArray("tools").addObject().put("name", "Bash");
        body.putArray("messages").addObject().put("role", "user").put("content", prompt);
        return body;
    }

    private HttpResponse<String> post(JsonNode body) throws IOException, InterruptedException {
        var request =
                HttpRequest.newBuilder(URI.create(api.url() + "/v1/messages"))
                        .POST(BodyPublishers.ofString(mapper.writeValueAsString(body)))
                        .build();
        try (var client = HttpClient.newHttpClient()) {
            return client.send(request, BodyHandlers.ofString());
        }
    }

    private String textOf(String stream) {
        var text = new StringBuilder();
        stream.lines()
                .filter(line -> line.startsWith("data: "))
                .map(line -> mapper.readTree(line.substring(6)))
                .forEach(event -> text.append(event.at("/delta/text").asString("")));
        return text.toString();
    }

    /** The Claude Code CLI, started without Ash. */
    private static final class Claude implements AutoCloseable {
        private final JsonMapper mapper = new JsonMapper();
        private final Process process;
        private final BufferedReader stdout;
        final List<JsonNode> messages = new ArrayList<>();

        Claude(String program, Path directory, String url) throws IOException {
            var builder =
                    new ProcessBuilder(
                            program,
                            "--input-format",
                            "stream-json",
                            "--output-format",
                            "stream-json",
                            "--verbose",
                            "--permission-mode",
                            "bypassPermissions");
            var env = builder.environment();
            env.keySet().retainAll(List.of("PATH", "LANG"));
            env.put("HOME", directory.toString());
            env.put("ANTHROPIC_BASE_URL", url);
            env.put("ANTHROPIC_API_KEY", "dummy");
            env.put("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1");
            env.put("CLAUDE_CODE_MAX_RETRIES", "1");
            env.put("IS_SANDBOX", "1");
            process =
                    builder.directory(directory.toFile())
                            .redirectError(directory.resolve("stderr").toFile())
                            .start();
            stdout = process.inputReader();
        }

        JsonNode ask(String prompt) throws IOException {
            send(prompt);
            return result();
        }

        void send(String prompt) throws IOException {
            var line = mapper.createObjectNode().put("type", "user").put("session_id", "");
            line.putObject("message").put("role", "user").put("content", prompt);
            process.outputWriter().write(mapper.writeValueAsString(line) + "\n");
            process.outputWriter().flush();
        }

        JsonNode result() throws IOException {
            for (var line = stdout.readLine(); line != null; line = stdout.readLine()) {
                var message = mapper.readTree(line);
                messages.add(message);
                if (message.path("type").asString().equals("result")) {
                    return message;
                }
            }
            throw new IOException("the CLI exited without a result");
        }

        @Override
        public void close() {
            process.destroyForcibly().onExit().join();
        }
    }
}
