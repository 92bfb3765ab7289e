package dev.ash.server.egress.model.request;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests which requests pass the check, for each provider. */
class RequestCheckTest {
    static final RequestPolicy ANTHROPIC = policy(RequestFormat.ANTHROPIC_MESSAGES);
    static final RequestPolicy OPENAI = policy(RequestFormat.OPENAI_RESPONSES);

    static RequestPolicy policy(RequestFormat format) {
        return new RequestPolicy(format, List.of(), false);
    }

    static List<String> check(RequestPolicy policy, String body) throws RequestRejectedException {
        return policy.checkBody(body.getBytes(StandardCharsets.UTF_8)).unknownFields();
    }

    static RequestPolicy with(RequestPolicy policy, boolean strict, String... tools) {
        return new RequestPolicy(policy.format(), List.of(tools), strict);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "claude-first-turn",
                "claude-after-a-tool",
                "claude-web-search",
                "claude-image",
                "claude-document",
                "claude-deferred-tools",
                "codex-additional-tools",
                "codex-web-search",
                "codex-image-and-mcp",
                "gemini-after-a-tool",
                "gemini-json",
                "goose-after-a-tool",
                "opencode-after-a-tool",
            })
    void acceptsRecordedRequestsOfEngines(String name)
            throws IOException, RequestRejectedException {
        var policy =
                policy(
                        switch (name.substring(0, name.indexOf('-'))) {
                            case "claude", "opencode" -> RequestFormat.ANTHROPIC_MESSAGES;
                            case "codex" -> RequestFormat.OPENAI_RESPONSES;
                            case "goose" -> RequestFormat.OPENAI_CHAT;
                            default -> RequestFormat.GOOGLE_GENERATE;
                        });
        try (var body = getClass().getResourceAsStream("/model-requests/" + name + ".json")) {
            var tools = name.endsWith("web-search") ? new String[] {"web_search"} : new String[0];
            assertThat(with(policy, true, tools).checkBody(body.readAllBytes()).unknownFields())
                    .isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource
    void rejectsExfiltration(RequestFormat format) {
        for (var body : ExfiltrationRequests.of(format)) {
            assertRejected(policy(format), body);
            assertRejected(with(policy(format), true), body);
        }
    }

    static void assertRejected(RequestPolicy policy, String body) {
        assertThatThrownBy(() -> check(policy, body))
                .as(body)
                .isInstanceOf(RequestRejectedException.class)
                .hasMessageStartingWith("Ash rejected the model request");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"store\":false,\"input\":[{\"role\":\"user\",\"content\":\"see https://a.b/ file-1\"}]}",
                "{\"store\":false,\"background\":false,\"previous_response_id\":null}",
                "{\"store\":false,\"input\":[{\"type\":\"function_call\",\"call_id\":\"c\",\"name\":\"f\",\"arguments\":\"{\\\"mcp_servers\\\":1}\"}]}",
                "{\"store\":false,\"tools\":[{\"type\":\"function\",\"name\":\"f\",\"parameters\":{\"properties\":{\"image_url\":{\"type\":\"string\"}}}}]}",
                "{\"store\":false,\"input\":[{\"role\":\"user\",\"content\":[{\"type\":\"input_image\",\"image_url\":\"data:image/png;base64,AA==\"}]}]}",
                "{\"store\":false,\"tools\":[{\"type\":\"tool_search\",\"execution\":\"client\",\"parameters\":{}}]}",
                "{\"store\":false,\"tools\":[{\"type\":\"shell\",\"environment\":{\"type\":\"local\"}}]}",
                "{\"store\":false,\"input\":[{\"type\":\"local_shell_call\",\"call_id\":\"c\",\"action\":{\"type\":\"exec\",\"command\":[\"curl\",\"https://a.b\"]}}]}",
            })
    void acceptsFreeContentForOpenai(String body) throws RequestRejectedException {
        assertThat(check(OPENAI, body)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "{\"messages\":[{\"role\":\"user\",\"content\":\"read https://a.b/c and file_1\"}]}",
                "{\"messages\":[{\"role\":\"assistant\",\"content\":[{\"input\":{\"url\":\"https://a.b\",\"mcp_servers\":[1]},\"id\":\"t\",\"name\":\"WebFetch\",\"type\":\"tool_use\"}]}]}",
                "{\"tools\":[{\"name\":\"f\",\"input_schema\":{\"properties\":{\"server_url\":{\"format\":\"uri\"}}}}]}",
                "{\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"half \\ud83d of a pair\"}]}]}",
                "{\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":\"t\",\"content\":[{\"type\":\"tool_reference\",\"tool_name\":\"mcp__a__b\"}]}]}]}",
                "{\"mcp_servers\":null}",
                "{\"metadata\":{\"user_id\":\"https://a.b\"}}",
            })
    void acceptsFreeContentForAnthropic(String body) throws RequestRejectedException {
        assertThat(check(ANTHROPIC, body)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"new_field\":1}",
                "{\"new_field\":{\"mode\":\"fast\",\"levels\":[1,\"two\"]}}",
                "{\"thinking\":{\"type\":\"adaptive\",\"profile\":\"deep\"}}",
                "{\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"new_block\",\"text\":\"see https://a.b\"}]}]}",
                "{\"new_tool_budget\":null}",
            })
    void acceptsAndCountsUnknownFieldsUnlessStrict(String body) throws RequestRejectedException {
        assertThat(check(ANTHROPIC, body)).hasSize(1);

        var rejected =
                catchThrowableOfType(
                        RequestRejectedException.class, () -> check(with(ANTHROPIC, true), body));

        assertThat(rejected).hasMessageContaining("ASH_MODEL_REQUESTS=strict");
    }

    @Test
    void requiresGrantForProviderToolsAndNamesTheSettings() throws RequestRejectedException {
        var search =
                "{\"tools\":[{\"type\":\"web_search_20250305\",\"name\":\"web_search\",\"max_uses\":8}]}";

        assertThatThrownBy(() -> check(ANTHROPIC, search))
                .hasMessageContaining("tools[0].type")
                .hasMessageContaining("web_search")
                .hasMessageContaining(".claude/settings.json")
                .hasMessageContaining("network.providerTools")
                .hasMessageContaining("ASH_PROVIDER_TOOLS");
        assertThat(check(with(ANTHROPIC, true, "web_search"), search)).isEmpty();
        assertThatThrownBy(() -> check(with(ANTHROPIC, false, "web_fetch"), search))
                .isInstanceOf(RequestRejectedException.class);
        var codex =
                "{\"store\":false,\"tools\":[{\"type\":\"web_search\",\"external_web_access\":true}]}";
        assertThatThrownBy(() -> check(OPENAI, codex)).hasMessageContaining("tools[0].type");
        assertThat(check(with(OPENAI, true, "web_search"), codex)).isEmpty();
    }

    @Test
    void namesPathInErrors() {
        assertThatThrownBy(
                        () ->
                                check(
                                        ANTHROPIC,
                                        "{\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"x\"},{\"source\":{\"url\":\"http://a\",\"type\":\"url\"},\"type\":\"image\"}]}]}"))
                .hasMessageContaining("at messages[0].content[1].source.type: ")
                .hasMessageContaining("base64");
    }

    @Test
    void permitsKnownBetaFeaturesOnly() {
        assertThat(
                        ANTHROPIC.permittedValue(
                                "Anthropic-Beta",
                                "claude-code-20250219,mcp-client-2025-11-20, effort-2026-12-31,files-api-2025-04-14"))
                .contains("claude-code-20250219,effort-2026-12-31");
        assertThat(
                        ANTHROPIC.permittedValue(
                                "anthropic-beta",
                                "thinking-binding-controls-2026-08-01,structured-outputs-2025-11-13"))
                .as("opencode")
                .contains("thinking-binding-controls-2026-08-01,structured-outputs-2025-11-13");
        assertThat(ANTHROPIC.permittedValue("anthropic-beta", "code-execution-2025-08-25,,x"))
                .isEmpty();
        assertThat(ANTHROPIC.permittedValue("x-other-beta", "claude-code-20250219")).isEmpty();
        assertThat(ANTHROPIC.permittedValue("X-HTTP-Method-Override", "DELETE")).isEmpty();
        assertThat(ANTHROPIC.permittedValue("X-Original-URL", "/v1/files")).isEmpty();
        assertThat(ANTHROPIC.permittedValue("X-Stainless-Arch", "x64")).contains("x64");
        var google = policy(RequestFormat.GOOGLE_GENERATE);
        assertThat(google.permittedValue("x-goog-api-client", "genai")).contains("genai");
        assertThat(google.permittedValue("X-Goog-User-Project", "other")).isEmpty();
        assertThat(google.permittedValue("X-Goog-FieldMask", "candidates")).isEmpty();
        assertThat(policy(RequestFormat.OPENAI_CHAT).permittedValue("OpenAI-Beta", "assistants=v2"))
                .isEmpty();
        assertThat(OPENAI.permittedValue("OpenAI-Beta", "assistants=v2")).isEmpty();
        assertThat(OPENAI.permittedValue("x-codex-beta-features", "remote_compaction_v2"))
                .isEqualTo(Optional.of("remote_compaction_v2"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"beta=true&x=1", "x", "beta=false", "beta=true#", "beta=%74rue"})
    void acceptsQueriesOfEnginesOnly(String query) throws RequestRejectedException {
        var permitted = List.of("", "beta=true");
        RequestPolicy.checkQuery("beta=true", permitted);
        RequestPolicy.checkQuery("", permitted);
        RequestPolicy.checkModelsQuery("limit=1000&after_id=claude-1");
        RequestPolicy.checkModelsQuery("pageSize=50&pageToken=abc");
        assertThatThrownBy(() -> RequestPolicy.checkQuery(query, permitted))
                .hasMessageContaining("is not permitted; expected none or beta=true");
        assertThatThrownBy(() -> RequestPolicy.checkQuery("", List.of("alt=sse")))
                .hasMessageContaining("expected alt=sse");
        assertThatThrownBy(() -> RequestPolicy.checkModelsQuery("pageSize=1&key=x"))
                .isInstanceOf(RequestRejectedException.class);
    }

    @Test
    void acceptsUncompressedJsonOnly() throws RequestRejectedException {
        RequestPolicy.checkContent(List.of(), List.of());
        RequestPolicy.checkContent(
                List.of("Application/JSON; charset=\"UTF-8\""), List.of("identity"));
        for (var type :
                List.of("text/plain", "application/json; charset=utf-16", "multipart/form-data")) {
            assertThatThrownBy(() -> RequestPolicy.checkContent(List.of(type), List.of()))
                    .hasMessageContaining("application/json");
        }
        for (var encoding : List.of("gzip", "br", "identity, gzip", "")) {
            assertThatThrownBy(() -> RequestPolicy.checkContent(List.of(), List.of(encoding)))
                    .hasMessageContaining("identity");
        }
        assertThatThrownBy(
                        () ->
                                RequestPolicy.checkContent(
                                        List.of("application/json", "application/json"), List.of()))
                .isInstanceOf(RequestRejectedException.class);
    }
}
