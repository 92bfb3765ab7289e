package dev.ash.bridge;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the ACP driver with a scripted agent that only the operator's configuration names. */
class AcpEngineTest {
    private static final String PARTIALS = ",\"includePartialMessages\":true";

    @TempDir private Path directory;
    private FakeAgent agent;

    @BeforeEach
    void install() throws IOException {
        agent = FakeAgent.in(directory);
    }

    @AfterEach
    void close() throws IOException {
        agent.close();
    }

    private static RawClient.Event result(List<RawClient.Event> events) {
        var last = events.getLast();
        assertThat(last.kind()).as(last.line()).isEqualTo("message");
        return last.message();
    }

    @Test
    void runsTurnOfConfiguredEngine() throws IOException {
        agent.open("");

        var events = agent.turn("hello", "");

        assertThat(MessageTypes.of(events)).containsExactly("system", "assistant text", "result");
        var init = events.getFirst().message();
        assertThat(init.text("subtype")).isEqualTo("init");
        assertThat(init.text("model")).isEqualTo("small");
        assertThat(MessageTypes.block(events.get(1)).text("text")).isEqualTo("you said hello");
        for (var event : events) {
            assertThat(event.message().json().raw("raw")).as(event.line()).isPresent();
        }
        var result = result(events);
        assertThat(result.text("subtype")).isEqualTo("success");
        assertThat(result.text("result")).isEqualTo("you said hello");
        assertThat(result.text("stop_reason")).isEqualTo("end_turn");
        assertThat(result.at("usage").line())
                .isEqualTo(
                        "{\"input_tokens\":7,\"cache_creation_input_tokens\":0,"
                                + "\"cache_read_input_tokens\":0,\"output_tokens\":3}");
        assertThat(result.json().raw("total_cost_usd")).hasToString("Optional[0.25]");
        assertThat(result.at("modelUsage").at("small").json().raw("contextWindow"))
                .hasToString("Optional[1000]");
        assertThat(result.at("raw").at("result").text("stopReason")).isEqualTo("end_turn");
    }

    @Test
    void startsProgramWithTemplateValuesAndNoClientTools() throws IOException {
        agent.open("");
        agent.turn("hello", "");

        var start = agent.starts().getFirst();
        assertThat(start.json().raw("arguments")).hasToString("Optional[[\"--acp\"]]");
        assertThat(start.at("variables").text("MODEL_URL")).isEqualTo("http://127.0.0.1:9");
        assertThat(start.at("variables").text("MODEL_KEY")).isEqualTo("key-1");
        var initialize = agent.received("initialize").getFirst().at("params");
        assertThat(initialize.json().raw("protocolVersion")).hasToString("Optional[1]");
        assertThat(initialize.at("clientCapabilities").line())
                .isEqualTo(
                        "{\"fs\": {\"readTextFile\": false, \"writeTextFile\": false},"
                                + " \"terminal\": false}");
        var opening = agent.received("session/new").getFirst().at("params");
        assertThat(opening.text("cwd")).isEqualTo(agent.bridge().workspace().toString());
    }

    @Test
    void streamsDeltasIfRequestedBeforeCompleteMessage() throws IOException {
        agent.open("");

        assertThat(MessageTypes.of(agent.turn("think", PARTIALS)))
                .containsExactly(
                        "system",
                        "stream_event message_start",
                        "stream_event content_block_start",
                        "stream_event content_block_delta",
                        "stream_event content_block_delta",
                        "assistant thinking",
                        "stream_event content_block_stop",
                        "stream_event message_delta",
                        "stream_event message_stop",
                        "stream_event message_start",
                        "stream_event content_block_start",
                        "stream_event content_block_delta",
                        "stream_event content_block_delta",
                        "assistant text",
                        "stream_event content_block_stop",
                        "stream_event message_delta",
                        "stream_event message_stop",
                        "result");
    }

    @Test
    void reportsToolsAndLists() throws IOException {
        agent.open("");

        var run = agent.turn("run make test", "");
        var plan = agent.turn("plan", "");

        assertThat(MessageTypes.of(run))
                .as(run.toString())
                .containsExactly(
                        "system",
                        "assistant tool_use",
                        "user tool_result",
                        "assistant text",
                        "result");
        var use = MessageTypes.block(run.get(1));
        assertThat(use.text("name")).isEqualTo("Bash");
        assertThat(use.at("input").text("command")).isEqualTo("make test");
        assertThat(MessageTypes.block(run.get(2)).text("content")).isEqualTo("ran make test");
        var list = MessageTypes.block(plan.get(1));
        assertThat(list.text("name")).isEqualTo("TodoWrite");
        assertThat(list.at("input").elements("todos"))
                .extracting(todo -> todo.text("content") + " " + todo.text("status"))
                .containsExactly("one completed", "two in_progress");
        assertThat(agent.starts()).as("one process for all turns").hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "gemini"})
    void loadsConversationInNewProcessWithoutRepeatingIt(String mode) throws IOException {
        agent.with("FAKE_START", mode).open("");
        agent.turn("first", "");

        agent.reopen("");
        var events = agent.turn("second", "");

        assertThat(MessageTypes.of(events)).containsExactly("system", "assistant text", "result");
        var load = agent.received("session/load").getFirst().at("params");
        assertThat(load.text("sessionId")).isEqualTo("s1");
        assertThat(agent.received("session/new")).hasSize(1);
    }

    @Test
    void beginsNewConversationIfAgentCannotLoad() throws IOException {
        agent.with("FAKE_START", "forgetful").open("");
        agent.turn("first", "");

        agent.reopen("");
        var events = agent.turn("second", "");

        assertThat(result(events).text("result")).isEqualTo("you said second");
        assertThat(agent.received("session/new")).hasSize(2);
    }

    @Test
    void reportsLostConversationOnce() throws IOException {
        agent.open("");
        agent.turn("first", "");

        agent.with("FAKE_START", "lost").reopen("");
        var lost = agent.turn("second", "");
        var next = agent.turn("third", "");

        assertThat(lost.getLast().text("error")).contains("no longer in this sandbox");
        assertThat(result(next).text("result")).isEqualTo("you said third");
    }

    @Test
    void logsInWithKeyIfAgentRequiresIt() throws IOException {
        agent.with("FAKE_START", "locked").open("");

        assertThat(result(agent.turn("hello", "")).text("result")).isEqualTo("you said hello");
        assertThat(agent.received("authenticate").getFirst().at("params").text("methodId"))
                .isEqualTo("fake-api-key");
    }

    @Test
    void forkUsesCopyOfConversation() throws IOException {
        agent.open("");
        agent.turn("first", "");
        var conversation = directory.resolve("home/.ash/conversation.json");
        Files.writeString(
                conversation,
                Files.readString(conversation).replace(TestBridge.SESSION, "another"));

        agent.reopen(",\"forkAt\":\"message\"");
        var cut = agent.turn("second", "");
        agent.configure("");
        var complete = agent.turn("third", "");

        assertThat(cut.getLast().text("error")).contains("cannot truncate a conversation");
        assertThat(result(complete).text("result")).isEqualTo("you said third");
        assertThat(agent.received("session/load")).hasSize(1);
    }

    @Test
    void interruptOverridesStopReasonAndIgnoresLateUpdates() throws IOException {
        var client = agent.open("");
        client.query("wait", ",\"turnId\":\"t1\"" + PARTIALS);
        client.until(event -> event.data().contains("waiting"));

        client.send("{\"cmd\":\"interrupt\",\"turnId\":\"t1\"}");
        var events = client.untilDone();
        var next = agent.turn("hello", "");

        assertThat(MessageTypes.of(events))
                .containsExactly(
                        "stream_event content_block_delta",
                        "assistant text",
                        "stream_event content_block_stop",
                        "stream_event message_delta",
                        "stream_event message_stop",
                        "user text",
                        "result");
        var result = events.get(events.size() - 2).message();
        assertThat(result.text("subtype")).isEqualTo("error_during_execution");
        assertThat(result.text("terminal_reason")).isEqualTo("aborted_streaming");
        assertThat(MessageTypes.of(next)).containsExactly("system", "assistant text", "result");
        assertThat(agent.starts()).hasSize(1);
    }

    @ParameterizedTest
    @CsvSource({
        "max_tokens, success, max_tokens",
        "refusal, success, refusal",
        "max_turn_requests, error_during_execution, limit of model calls",
        "cancelled, error_during_execution, cancelled the turn",
        "unheard_of, error_during_execution, unheard_of"
    })
    void mapsStopReasons(String reason, String subtype, String shown) throws IOException {
        agent.open("");

        var result = result(agent.turn("stop " + reason, ""));

        assertThat(result.text("subtype")).isEqualTo(subtype);
        assertThat(result.line()).contains(shown);
    }

    @Test
    void reportsErrorsOfModelAsResults() throws IOException {
        agent.open("");

        var result = result(agent.turn("error", ""));

        assertThat(result.json().isTrue("is_error")).isTrue();
        assertThat(result.text("result"))
                .isEqualTo("The turn failed: Internal error: the model is on fire");
        assertThat(result(agent.turn("hello", "")).text("result")).isEqualTo("you said hello");
    }

    @Test
    void sendsInstructionsOncePerConversation() throws IOException {
        agent.open(",\"systemPrompt\":\"Be brief.\"");
        agent.turn("first", "");
        agent.turn("second", "");
        agent.reopen(",\"systemPrompt\":\"Be brief.\"");
        agent.turn("third", "");
        agent.reopen(",\"systemPrompt\":\"Be long.\"");
        agent.turn("fourth", "");

        var prompts = agent.received("session/prompt");
        assertThat(prompts)
                .extracting(prompt -> prompt.at("params").elements("prompt").size())
                .containsExactly(2, 1, 1, 2);
        assertThat(prompts.getFirst().line()).contains("Be brief.");
        assertThat(prompts.getLast().line()).contains("Be long.");
    }

    @Test
    void rejectsWhatProtocolCannotExpress() throws IOException {
        agent.open(",\"systemPrompt\":\"x\",\"systemPromptMode\":\"replace\"");
        assertThat(agent.turn("hello", "").getLast().text("error"))
                .contains("cannot replace its own system prompt");
        agent.configure("");
        assertThat(agent.turn("hello", ",\"maxTurns\":2").getLast().text("error"))
                .contains("fake does not support maxTurns");
        agent.configure(",\"mcpServers\":{\"old\":{\"type\":\"sse\",\"url\":\"http://h\"}}");
        assertThat(agent.turn("hello", "").getLast().text("error"))
                .contains("'old' has the type sse");
    }

    @Test
    void selectsModelOfTurn() throws IOException {
        agent.open("");

        var large = agent.turn("hello", ",\"model\":\"large\"");
        var standard = agent.turn("hello", "");
        var unknown = agent.turn("hello", ",\"model\":\"huge\"");

        assertThat(large.getFirst().message().text("model")).isEqualTo("large");
        assertThat(standard.getFirst().message().text("model")).isEqualTo("small");
        assertThat(agent.received("session/set_model"))
                .extracting(message -> message.at("params").text("modelId"))
                .containsExactly("acme/large", "small");
        assertThat(unknown.getLast().text("error"))
                .isEqualTo(
                        "Fake Agent does not offer the model 'huge'; expected one of small,"
                                + " acme/large");
    }

    @Test
    void passesMcpServersWithTheirEnvironment() throws IOException {
        agent.open(
                ",\"mcpServers\":{\"tools\":{\"command\":\"run\",\"args\":[\"${HOME}\"],\"env\":{\"K\":\"v\"}},"
                        + "\"web\":{\"type\":\"http\",\"url\":\"http://h/\",\"headers\":{\"A\":\"b\"}}}");
        agent.turn("hello", "");

        var servers = agent.received("session/new").getFirst().at("params").elements("mcpServers");
        assertThat(servers.getFirst().text("command")).isEqualTo("run");
        assertThat(servers.getFirst().line())
                .contains("[\"" + agent.bridge().home() + "\"]")
                .contains("{\"name\": \"K\", \"value\": \"v\"}")
                .contains("{\"name\": \"LANG\", \"value\": \"C.UTF-8\"}");
        assertThat(servers.getLast().line())
                .isEqualTo(
                        "{\"name\": \"web\", \"type\": \"http\", \"url\": \"http://h/\","
                                + " \"headers\": [{\"name\": \"A\", \"value\": \"b\"}]}");
    }

    @Test
    void restClosesIdleAgentAndNextPromptContinues() throws IOException {
        var client = agent.open("");
        agent.turn("first", "");

        client.send("{\"cmd\":\"rest\"}");

        assertThat(client.nextOf("resting").json().isTrue("ready")).isTrue();
        assertThat(result(agent.turn("second", "")).text("result")).isEqualTo("you said second");
        assertThat(agent.starts()).hasSize(2);
    }

    @Test
    void steeringIsRefusedWithReason() throws IOException {
        var client = agent.open("");
        client.query("wait", ",\"turnId\":\"t1\"");
        client.nextOf("message");

        client.send("{\"cmd\":\"steer\",\"id\":\"1\",\"turnId\":\"t1\",\"prompt\":\"faster\"}");
        var running = client.nextOf("steered");
        client.send("{\"cmd\":\"steer\",\"id\":\"2\",\"turnId\":\"t9\",\"prompt\":\"faster\"}");
        var unknown = client.nextOf("steered");

        assertThat(running.text("why")).contains("no messages during a turn");
        assertThat(unknown.text("why")).isEqualTo("The turn is not running");
    }
}
