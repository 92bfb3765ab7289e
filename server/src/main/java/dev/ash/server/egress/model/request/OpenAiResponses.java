package dev.ash.server.egress.model.request;

import static dev.ash.server.egress.model.request.Shape.FREE;
import static dev.ash.server.egress.model.request.Shape.PLAIN;
import static dev.ash.server.egress.model.request.Shape.fields;
import static dev.ash.server.egress.model.request.Shape.map;

import dev.ash.server.egress.model.request.Shape.Denied;
import dev.ash.server.egress.model.request.Shape.ListOf;
import dev.ash.server.egress.model.request.Shape.MustBeFalse;
import dev.ash.server.egress.model.request.Shape.OneOf;
import dev.ash.server.egress.model.request.Shape.RequiresGrant;
import dev.ash.server.egress.model.request.Shape.TextOr;
import dev.ash.server.egress.model.request.Shape.Typed;
import java.util.Set;

/** Permitted content of requests to OpenAI's Responses API, as listed in docs/isolation.md. */
final class OpenAiResponses {
    static final FormatTable TABLE =
            new FormatTable(
                    request(),
                    Set.of("openai-beta", "x-codex-beta-features"),
                    Set.of("responses=experimental", "remote_compaction_v2"));

    private static final String STORED =
            "it refers to content stored by the provider; send the content itself";

    private static Shape request() {
        return fields(
                        "model",
                        new Shape.ModelName(),
                        "stream temperature top_p top_logprobs max_output_tokens",
                        PLAIN,
                        "max_tool_calls parallel_tool_calls truncation service_tier",
                        PLAIN,
                        "include prompt_cache_key prompt_cache_retention",
                        PLAIN,
                        "user safety_identifier",
                        PLAIN,
                        "instructions metadata client_metadata",
                        FREE,
                        "input",
                        new TextOr(new ListOf(item())),
                        "tools",
                        new ListOf(tool()),
                        "tool_choice",
                        new TextOr(toolChoice()),
                        "reasoning",
                        fields("effort summary generate_summary context", PLAIN),
                        "text",
                        fields("verbosity", PLAIN, "format", format()),
                        "stream_options",
                        fields("include_obfuscation", PLAIN),
                        "context_management",
                        new ListOf(fields("type compact_threshold", PLAIN)),
                        "store",
                        new MustBeFalse("otherwise the provider stores the response"),
                        "background",
                        new Denied(
                                "it makes the provider run the request in the background and store the response"),
                        "previous_response_id conversation prompt",
                        new Denied(STORED))
                .requiring("store");
    }

    private static Shape item() {
        var content = new TextOr(new ListOf(part()));
        var message = fields("role id status phase", PLAIN, "content", content).requiring("role");
        var call =
                fields(
                        "id call_id name namespace status execution", PLAIN,
                        "arguments input action operation", FREE);
        var output =
                fields(
                        "id call_id name status execution max_output_length", PLAIN,
                        "output", content,
                        "tools", new ListOf(tool()));
        var opaque = fields("id status", PLAIN, "summary content encrypted_content", FREE);
        return new Typed(
                "type",
                map(
                        "message",
                        message,
                        "function_call custom_tool_call local_shell_call shell_call"
                                + " apply_patch_call tool_search_call",
                        call,
                        "function_call_output custom_tool_call_output local_shell_call_output"
                                + " shell_call_output apply_patch_call_output tool_search_output",
                        output,
                        "reasoning compaction compaction_summary context_compaction"
                                + " compaction_trigger",
                        opaque,
                        "additional_tools",
                        fields("id role", PLAIN, "tools", new ListOf(tool())),
                        "web_search_call",
                        new RequiresGrant(ProviderTools.WEB_SEARCH, FREE),
                        "image_generation_call",
                        new RequiresGrant(ProviderTools.IMAGE_GENERATION, FREE),
                        "code_interpreter_call",
                        new RequiresGrant(ProviderTools.CODE_EXECUTION, FREE),
                        "item_reference",
                        new Denied(STORED),
                        "mcp_call mcp_list_tools mcp_approval_request mcp_approval_response",
                        new Denied("it belongs to an MCP server of the provider"),
                        "file_search_call computer_call computer_call_output",
                        new Denied("it belongs to a tool that Ash does not allow")),
                message, // requires a role: without one it would be an item reference
                false);
    }

    /** Content parts of messages and tool outputs. */
    private static Shape part() {
        var fileId = new Denied("it refers to a file stored by the provider; send the data itself");
        return new Typed(
                "type",
                map(
                        "input_text output_text text summary_text reasoning_text refusal",
                        fields("text refusal annotations logprobs", FREE),
                        "encrypted_content",
                        fields("encrypted_content", FREE),
                        "input_image",
                        fields(
                                "image_url",
                                new Shape.DataUrl(),
                                "detail",
                                PLAIN,
                                "file_id",
                                fileId),
                        "input_file",
                        fields(
                                "filename",
                                PLAIN,
                                "file_data",
                                new Shape.Data(),
                                "file_id",
                                fileId,
                                "file_url",
                                new Denied("it makes the provider fetch a URL; use file_data")),
                        "input_audio",
                        fields("input_audio", fields("data", FREE, "format", PLAIN))),
                fields("stdout stderr", FREE, "outcome", fields("type exit_code", PLAIN)),
                false);
    }

    /** Tools that the client runs, and tools of the provider that require a grant. */
    private static Shape tool() {
        var tools = new Shape.Reference();
        var clientTool =
                fields(
                        "name description strict defer_loading", PLAIN,
                        "parameters output_schema", FREE,
                        "format", fields("type syntax definition", PLAIN));
        tools.set(
                new Typed(
                        "type",
                        map(
                                "function custom local_shell apply_patch",
                                clientTool,
                                "namespace",
                                fields("name description", PLAIN, "tools", new ListOf(tools)),
                                "shell",
                                fields("environment", localEnvironment()).requiring("environment"),
                                "tool_search",
                                toolSearch(),
                                "web_search web_search_* web_search_preview web_search_preview_*",
                                new RequiresGrant(ProviderTools.WEB_SEARCH, FREE),
                                "image_generation",
                                new RequiresGrant(ProviderTools.IMAGE_GENERATION, FREE),
                                "code_interpreter",
                                new RequiresGrant(ProviderTools.CODE_EXECUTION, FREE),
                                "mcp",
                                new Denied("it makes the provider connect to an MCP server"),
                                "file_search computer computer_use computer_use_preview",
                                new Denied("it belongs to a tool that Ash does not allow")),
                        new Denied("a tool requires a type"),
                        true));
        return tools;
    }

    private static Shape localEnvironment() {
        return new Typed(
                "type",
                map("local", fields("skills", new Denied("skills are stored by the provider"))),
                new Denied("a shell requires the environment {\"type\":\"local\"}"),
                true);
    }

    private static Shape toolSearch() {
        return new Typed(
                "execution",
                map(
                        "client",
                        fields("type description", PLAIN, "parameters", FREE),
                        "server",
                        new RequiresGrant(ProviderTools.TOOL_SEARCH, FREE)),
                new RequiresGrant(ProviderTools.TOOL_SEARCH, FREE),
                true);
    }

    private static Shape toolChoice() {
        return fields(
                "type",
                        new OneOf(
                                Set.of(
                                        "function",
                                        "custom",
                                        "allowed_tools",
                                        "apply_patch",
                                        "shell",
                                        "web_search",
                                        "web_search_preview"),
                                "this tool choice is not supported"),
                "name mode", PLAIN,
                "tools", new ListOf(fields("type name", PLAIN)));
    }

    private static Shape format() {
        return fields("type name description strict", PLAIN, "schema", FREE);
    }

    private OpenAiResponses() {}
}
