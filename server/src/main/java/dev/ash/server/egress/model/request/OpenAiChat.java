package dev.ash.server.egress.model.request;

import static dev.ash.server.egress.model.request.Shape.FREE;
import static dev.ash.server.egress.model.request.Shape.PLAIN;
import static dev.ash.server.egress.model.request.Shape.fields;
import static dev.ash.server.egress.model.request.Shape.map;

import dev.ash.server.egress.model.request.Shape.Denied;
import dev.ash.server.egress.model.request.Shape.ListOf;
import dev.ash.server.egress.model.request.Shape.ModelName;
import dev.ash.server.egress.model.request.Shape.OneOf;
import dev.ash.server.egress.model.request.Shape.RequiresGrant;
import dev.ash.server.egress.model.request.Shape.TextOr;
import dev.ash.server.egress.model.request.Shape.Typed;
import java.util.Set;

/**
 * Permitted content of requests to OpenAI's Chat Completions API and to the many hosts that
 * implement it, as listed in docs/isolation.md. Covers the fields with which some of these hosts
 * search the web.
 */
final class OpenAiChat {
    static final FormatTable TABLE = new FormatTable(request(), Set.of("openai-beta"), Set.of());

    private static final String STORED = "it refers to content stored by the provider";

    private static Shape request() {
        return fields(
                "model",
                new ModelName(),
                "models",
                new ListOf(new ModelName()),
                "stream temperature top_p top_k min_p n seed stop logprobs top_logprobs",
                PLAIN,
                "max_tokens max_completion_tokens presence_penalty frequency_penalty",
                PLAIN,
                "repetition_penalty parallel_tool_calls reasoning_effort verbosity",
                PLAIN,
                "user safety_identifier prompt_cache_key prompt_cache_retention",
                PLAIN,
                "service_tier modalities enable_thinking",
                PLAIN,
                "logit_bias metadata",
                FREE,
                "messages",
                new ListOf(message()),
                "tools",
                new ListOf(tool()),
                "tool_choice",
                new TextOr(toolChoice()),
                "functions",
                new ListOf(function()),
                "function_call",
                new TextOr(fields("name", PLAIN)),
                "stream_options",
                fields("include_usage include_obfuscation", PLAIN),
                "response_format",
                fields("type", PLAIN, "json_schema", schema()),
                "reasoning",
                fields("effort max_tokens exclude enabled summary", PLAIN),
                "thinking",
                fields("type budget_tokens", PLAIN),
                "usage",
                fields("include", PLAIN),
                "prediction",
                fields("type", PLAIN, "content", new TextOr(new ListOf(part()))),
                "audio",
                fields("voice format", PLAIN),
                "web_search_options search_parameters search_options enable_search web_search",
                new RequiresGrant(ProviderTools.WEB_SEARCH, FREE),
                "store",
                new Denied("it makes the provider store the conversation"),
                "preset",
                new Denied(STORED));
    }

    private static Shape message() {
        return fields(
                "role name tool_call_id",
                PLAIN,
                "content",
                new TextOr(new ListOf(part())),
                "images",
                new ListOf(part()),
                "refusal annotations",
                FREE,
                "reasoning reasoning_content reasoning_details reasoning_opaque reasoning_text",
                FREE,
                "tool_calls",
                new ListOf(toolCall()),
                "function_call",
                fields("name", PLAIN, "arguments", FREE),
                "cache_control",
                cacheControl(),
                "audio",
                new Denied(STORED + "; send a transcript"));
    }

    private static Shape part() {
        var fileId = new Denied("it refers to a file stored by the provider; send the data itself");
        return new Typed(
                "type",
                map(
                        "text refusal",
                        fields("text refusal", FREE, "cache_control", cacheControl()),
                        "image_url video_url",
                        fields("image_url video_url", media(), "cache_control", cacheControl()),
                        "input_audio",
                        fields("input_audio", fields("data", new Shape.Data(), "format", PLAIN)),
                        "file",
                        fields(
                                "file",
                                fields(
                                        "filename", PLAIN,
                                        "file_data", new Shape.Data(),
                                        "file_id", fileId),
                                "cache_control",
                                cacheControl())),
                new Denied("a content part requires a type"),
                false);
    }

    private static Shape media() {
        return fields("url", new Shape.DataUrl(), "detail", PLAIN);
    }

    private static Shape toolCall() {
        return fields(
                "id type index",
                PLAIN,
                "function",
                fields("name", PLAIN, "arguments", FREE),
                "custom",
                fields("name", PLAIN, "input", FREE),
                "extra_content",
                FREE);
    }

    /** Tools that the client runs, and tools of the provider that require a grant. */
    private static Shape tool() {
        return new Typed(
                "type",
                map(
                        "function",
                        fields("function", function(), "cache_control", cacheControl()),
                        "custom",
                        fields("custom", custom(), "cache_control", cacheControl()),
                        "web_search web_search_preview",
                        new RequiresGrant(ProviderTools.WEB_SEARCH, FREE),
                        "code_interpreter",
                        new RequiresGrant(ProviderTools.CODE_EXECUTION, FREE)),
                new Denied("a tool requires a type"),
                true);
    }

    private static Shape function() {
        return fields("name description strict", PLAIN, "parameters", FREE);
    }

    private static Shape custom() {
        return fields(
                "name description",
                PLAIN,
                "format",
                fields("type", PLAIN, "grammar", fields("syntax definition", PLAIN)));
    }

    private static Shape toolChoice() {
        var name = fields("name", PLAIN);
        return fields(
                "type",
                new OneOf(
                        Set.of("function", "custom", "allowed_tools"),
                        "this tool choice is not supported"),
                "function custom",
                name,
                "allowed_tools",
                fields(
                        "mode",
                        PLAIN,
                        "tools",
                        new ListOf(fields("type name", PLAIN, "function custom", name))));
    }

    private static Shape schema() {
        return fields("name description strict", PLAIN, "schema", FREE);
    }

    private static Shape cacheControl() {
        return fields("type ttl", PLAIN);
    }

    private OpenAiChat() {}
}
