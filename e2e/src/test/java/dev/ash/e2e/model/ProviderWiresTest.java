package dev.ash.e2e.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Tests the Chat Completions API and the Gemini API of the scripted model directly. */
class ProviderWiresTest {
    private static final String CHAT = "/v1/chat/completions";
    private static final String STREAM = "/v1beta/models/gemini-x:streamGenerateContent?alt=sse";
    private static final String WHOLE = "/v1beta/models/gemini-x:generateContent";

    private final JsonMapper mapper = new JsonMapper();
    private ScriptedModelApi api;

    @BeforeEach
    void startApi() {
        api = ScriptedModelApi.start(3);
    }

    @AfterEach
    void stopApi() {
        api.close();
    }

    @Test
    void streamsChatTextWithUsageOnlyOnRequest() throws Exception {
        var text = "{'role':'user','content':'SAY:grüße 🚀'}";
        var plain = events(post(CHAT, chat(true, "", text)));
        var counted =
                events(post(CHAT, chat(true, "'stream_options':{'include_usage':true},", text)));

        for (var chunks : List.of(plain, counted)) {
            assertThat(joined(chunks, "/choices/0/delta/content")).isEqualTo("grüße 🚀");
            assertThat(joined(chunks, "/choices/0/finish_reason")).isEqualTo("stop");
        }
        assertThat(plain).noneMatch(chunk -> chunk.has("usage"));
        assertThat(counted.getLast().at("/usage/prompt_tokens").asInt()).isEqualTo(10);
        assertThat(counted.getLast().at("/usage/completion_tokens").asInt()).isEqualTo(5);
    }

    @Test
    void answersChatWithoutStreaming() throws Exception {
        var answer =
                mapper.readTree(
                        post(CHAT, chat(false, "", "{'role':'user','content':'SAY:whole'}"))
                                .body());

        assertThat(answer.at("/choices/0/message/content").asString()).isEqualTo("whole");
        assertThat(answer.at("/choices/0/finish_reason").asString()).isEqualTo("stop");
        assertThat(answer.at("/usage/total_tokens").asInt()).isEqualTo(15);
    }

    @Test
    void callsChatToolAndQuotesItsResult() throws Exception {
        var prompt =
                "{'role':'user','content':[{'type':'text','text':'TOOL:shell {\\\"command\\\":\\\"ls\\\"}'}]}";
        var first = events(post(CHAT, chat(true, "", prompt)));
        assertThat(joined(first, "/choices/0/delta/tool_calls/0/function/name")).isEqualTo("shell");
        assertThat(joined(first, "/choices/0/delta/tool_calls/0/function/arguments"))
                .isEqualTo("{\"command\":\"ls\"}");
        assertThat(joined(first, "/choices/0/finish_reason")).isEqualTo("tool_calls");

        var second =
                chat(
                        true,
                        "",
                        prompt
                                + ",{'role':'assistant','tool_calls':[]},"
                                + "{'role':'tool','content':'a.txt'},"
                                + "{'role':'user','content':'<info-msg>\\nIt is late\\n</info-msg>'}");
        assertThat(joined(events(post(CHAT, second)), "/choices/0/delta/content"))
                .isEqualTo("tool said: a.txt");
        assertThat(api.turns().getLast().toolNames()).containsExactly("shell");
        assertThat(api.turns().getLast().system()).contains("Be brief");
    }

    @Test
    void streamsGeminiTextWithUsage() throws Exception {
        var context = "{'role':'user','parts':[{'text':'<session_context>SAY:no'}]},";
        var body = gemini(context + "{'role':'user','parts':[{'text':'SAY:grüße 🚀'}]}");

        var chunks = events(post(STREAM, body));

        assertThat(joined(chunks, "/candidates/0/content/parts/0/text")).isEqualTo("grüße 🚀");
        assertThat(joined(chunks, "/candidates/0/finishReason")).isEqualTo("STOP");
        assertThat(chunks.getLast().at("/usageMetadata/candidatesTokenCount").asInt()).isEqualTo(5);
        assertThat(chunks.getLast().path("modelVersion").asString()).isEqualTo("gemini-x");
    }

    @Test
    void callsGeminiToolAndQuotesItsResult() throws Exception {
        var prompt =
                "{'role':'user','parts':[{'text':'TOOL:shell {\\\"command\\\":\\\"ls\\\"}\\nSAY:end'}]}";
        var call =
                mapper.readTree(post(WHOLE, gemini(prompt)).body())
                        .at("/candidates/0/content/parts/0/functionCall");
        assertThat(call.path("name").asString()).isEqualTo("shell");
        assertThat(call.at("/args/command").asString()).isEqualTo("ls");

        var second =
                gemini(
                        prompt
                                + ",{'role':'model','parts':[{'functionCall':{'name':'shell'}}]},"
                                + "{'role':'user','parts':[{'functionResponse':{'name':'shell',"
                                + "'response':{'output':'a.txt'}}}]}");
        assertThat(post(WHOLE, second).body()).contains("end");
        var turn = api.turns().getLast();
        assertThat(turn.toolResults().getLast().text()).isEqualTo("a.txt");
        assertThat(turn.everything()).contains("Be brief", "a.txt");
        assertThat(turn.toolNames()).containsExactly("shell");
    }

    @Test
    void answersRequestsWithoutToolsWithATitle() throws Exception {
        var chat = json("{'messages':[{'role':'user','content':'SAY:no'}]}");
        var gemini = json("{'contents':[{'role':'user','parts':[{'text':'SAY:no'}]}]}");

        assertThat(post(CHAT, chat).body()).contains("title").doesNotContain("SAY");
        assertThat(post(WHOLE, gemini).body()).contains("title").doesNotContain("SAY");
        assertThat(api.turns()).isEmpty();
    }

    @Test
    void countsTokensOfGemini() throws Exception {
        var answer = post("/v1beta/models/gemini-x:countTokens", json("{'contents':[]}"));

        assertThat(mapper.readTree(answer.body()).path("totalTokens").asInt()).isEqualTo(10);
    }

    @Test
    void rejectsInTheFormOfTheProvider() throws Exception {
        var chat = post(CHAT, chat(true, "", "{'role':'user','content':'STATUS:429'}"));
        var gemini = post(STREAM, gemini("{'role':'user','parts':[{'text':'STATUS:429'}]}"));

        assertThat(List.of(chat.statusCode(), gemini.statusCode())).containsOnly(429);
        assertThat(mapper.readTree(chat.body()).at("/error/type").asString())
                .isEqualTo("rate_limit_error");
        assertThat(mapper.readTree(gemini.body()).at("/error/status").asString())
                .isEqualTo("RESOURCE_EXHAUSTED");
    }

    private static String chat(boolean stream, String options, String messages) {
        return json(
                "{'model':'m','stream':%s,%s'tools':[{'type':'function','function':{'name':'shell'}}],"
                                .formatted(stream, options)
                        + "'messages':[{'role':'system','content':'Be brief'},"
                        + messages
                        + "]}");
    }

    private static String gemini(String contents) {
        return json(
                "{'systemInstruction':{'parts':[{'text':'Be brief'}]},"
                        + "'tools':[{'functionDeclarations':[{'name':'shell'}]}],'contents':["
                        + contents
                        + "]}");
    }

    private static String json(String text) {
        return text.replace('\'', '"');
    }

    private HttpResponse<String> post(String path, String body)
            throws IOException, InterruptedException {
        var request =
                HttpRequest.newBuilder(URI.create(api.url() + path))
                        .POST(BodyPublishers.ofString(body))
                        .build();
        try (var client = HttpClient.newHttpClient()) {
            return client.send(request, BodyHandlers.ofString());
        }
    }

    private List<JsonNode> events(HttpResponse<String> response) {
        return response.body()
                .lines()
                .filter(line -> line.startsWith("data: {"))
                .map(line -> mapper.readTree(line.substring(6)))
                .toList();
    }

    private static String joined(List<JsonNode> events, String pointer) {
        var text = new StringBuilder();
        events.forEach(event -> text.append(event.at(pointer).asString("")));
        return text.toString();
    }
}
