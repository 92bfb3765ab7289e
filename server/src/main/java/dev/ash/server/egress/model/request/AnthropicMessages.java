package dev.ash.server.egress.model.request;

import static dev.ash.server.egress.model.request.Shape.FREE;
import static dev.ash.server.egress.model.request.Shape.PLAIN;
import static dev.ash.server.egress.model.request.Shape.fields;
import static dev.ash.server.egress.model.request.Shape.map;

import dev.ash.server.egress.model.request.Shape.Denied;
import dev.ash.server.egress.model.request.Shape.ListOf;
import dev.ash.server.egress.model.request.Shape.OneOf;
import dev.ash.server.egress.model.request.Shape.RequiresGrant;
import dev.ash.server.egress.model.request.Shape.TextOr;
import dev.ash.server.egress.model.request.Shape.Typed;
import java.util.Set;

/** Permitted content of requests to Anthropic's Messages API, as listed in docs/isolation.md. */
final class AnthropicMessages {
    static final FormatTable TABLE =
            new FormatTable(
                    request(),
                    Set.of("anthropic-beta"),
                    // Without date suffixes. Not permitted are, for example, mcp-client,
                    // mcp-servers,
                    // files-api, code-execution, web-fetch, skills, managed-agents, environments.
                    Set.of(
                            "adaptive-thinking",
                            "advanced-tool-use",
                            "afk-mode",
                            "cache-diagnosis",
                            "claude-code",
                            "compact",
                            "computer-use",
                            "context-1m",
                            "context-hint",
                            "context-management",
                            "effort",
                            "extended-cache-ttl",
                            "fallback-credit",
                            "fast-mode",
                            "fine-grained-tool-streaming",
                            "interleaved-thinking",
                            "mid-conversation-system",
                            "oauth",
                            "output-128k",
                            "pdfs",
                            "prompt-caching",
                            "prompt-caching-scope",
                            "redact-thinking",
                            "server-side-fallback",
                            "structured-outputs",
                            "summarize-connector-text",
                            "task-budgets",
                            "thinking-binding-controls",
                            "thinking-token-count",
                            "token-counting",
                            "token-efficient-tools",
                            "tool-examples",
                            "tool-search-tool",
                            "web-search"));

    private static Shape request() {
        return fields(
                "model max_tokens stream temperature top_p top_k stop_sequences",
                PLAIN,
                "service_tier speed inference_geo",
                PLAIN,
                "metadata",
                FREE,
                "system",
                new TextOr(new ListOf(blocks())),
                "messages",
                new ListOf(message()),
                "tools",
                new ListOf(tool()),
                "tool_choice",
                toolChoice(),
                "cache_control",
                cacheControl(),
                "thinking",
                fields(
                        "type budget_tokens display",
                        PLAIN,
                        "block_binding",
                        fields("prefix_mismatch_behavior", PLAIN)),
                "output_config",
                fields(
                        "effort", PLAIN,
                        "format", format(),
                        "task_budget", fields("type total remaining", PLAIN)),
                "output_format",
                format(),
                "context_management",
                fields("edits", new ListOf(contextEdit())),
                "mcp_servers",
                new Denied("it makes the provider connect to MCP servers"),
                "container",
                new Denied("it makes the provider execute code in a container"),
                "betas anthropic_beta",
                new Denied("use the header anthropic-beta for beta features"));
    }

    private static Shape message() {
        return fields("role", PLAIN, "content", new TextOr(new ListOf(blocks())));
    }

    /** Content blocks of messages, tool results and the system prompt. */
    private static Shape blocks() {
        var blocks = new Shape.Reference();
        var content = new TextOr(new ListOf(blocks));
        blocks.set(
                new Typed(
                        "type",
                        map(
                                "text",
                                block("text citations", FREE),
                                "image",
                                block("source", source(content)),
                                "document",
                                block("source", source(content), "title context citations", FREE),
                                "search_result",
                                block("source title citations", FREE, "content", content),
                                "thinking redacted_thinking compaction",
                                block("thinking signature data content encrypted_content", FREE),
                                "tool_use",
                                block("id name", PLAIN, "input", FREE, "caller", caller()),
                                "tool_result",
                                block("tool_use_id is_error", PLAIN, "content", content),
                                "tool_reference",
                                block("tool_name", PLAIN),
                                "server_tool_use",
                                serverToolUse(),
                                "web_search_tool_result",
                                requiresGrant(ProviderTools.WEB_SEARCH),
                                "web_fetch_tool_result",
                                requiresGrant(ProviderTools.WEB_FETCH),
                                "code_execution_tool_result bash_code_execution_tool_result"
                                        + " text_editor_code_execution_tool_result",
                                requiresGrant(ProviderTools.CODE_EXECUTION),
                                "tool_search_tool_result",
                                requiresGrant(ProviderTools.TOOL_SEARCH),
                                "advisor_tool_result",
                                requiresGrant(ProviderTools.ADVISOR),
                                "mcp_tool_use mcp_tool_result",
                                new Denied("it belongs to an MCP server of the provider"),
                                "container_upload",
                                new Denied("it refers to a file stored by the provider")),
                        new Denied("a content block requires a type"),
                        false));
        return blocks;
    }

    private static Shape block(Object... pairs) {
        var fields = map(pairs);
        fields.put("cache_control", cacheControl());
        return new Shape.Fields(fields, Set.of(), false);
    }

    /** Sources whose data is in the request itself. */
    private static Shape source(Shape content) {
        return new Typed(
                "type",
                map(
                        "base64 text",
                        fields("media_type", PLAIN, "data", FREE),
                        "content",
                        fields("content", content),
                        "url",
                        new Denied("it makes the provider fetch a URL; send the data as base64"),
                        "file",
                        new Denied(
                                "it refers to a file stored by the provider; send it as base64")),
                new Denied("a source requires a type: base64, text or content"),
                true);
    }

    private static Shape serverToolUse() {
        return new Typed(
                "name",
                map(
                        "web_search",
                        requiresGrant(ProviderTools.WEB_SEARCH),
                        "web_fetch",
                        requiresGrant(ProviderTools.WEB_FETCH),
                        "code_execution bash_code_execution text_editor_code_execution",
                        requiresGrant(ProviderTools.CODE_EXECUTION),
                        "tool_search_tool_regex tool_search_tool_bm25",
                        requiresGrant(ProviderTools.TOOL_SEARCH),
                        "advisor",
                        requiresGrant(ProviderTools.ADVISOR)),
                new Denied("a server_tool_use block requires a name"),
                true);
    }

    private static Shape requiresGrant(String providerTool) {
        return new RequiresGrant(providerTool, FREE);
    }

    /** Tools that the client runs, and tools of the provider that require a grant. */
    private static Shape tool() {
        var clientTool =
                block(
                        "name description defer_loading strict eager_input_streaming",
                        PLAIN,
                        "max_characters display_width_px display_height_px display_number",
                        PLAIN,
                        "enable_zoom",
                        PLAIN,
                        "input_schema input_examples",
                        FREE,
                        "allowed_callers",
                        new ListOf(caller()));
        return new Typed(
                "type",
                map(
                        "custom bash_* text_editor_* memory_* computer_*",
                        clientTool,
                        "web_search_*",
                        requiresGrant(ProviderTools.WEB_SEARCH),
                        "web_fetch_*",
                        requiresGrant(ProviderTools.WEB_FETCH),
                        "code_execution_*",
                        requiresGrant(ProviderTools.CODE_EXECUTION),
                        "tool_search_tool_regex tool_search_tool_bm25 tool_search_tool_regex_*"
                                + " tool_search_tool_bm25_*",
                        requiresGrant(ProviderTools.TOOL_SEARCH),
                        "advisor_*",
                        requiresGrant(ProviderTools.ADVISOR),
                        "mcp_toolset",
                        new Denied("it belongs to an MCP server of the provider")),
                clientTool,
                true);
    }

    /** A caller of a tool: a string, or an object with a type. */
    private static Shape caller() {
        var reason = "only the model itself may call a tool, not code that the provider executes";
        return new Typed(
                "type", map("direct", fields()), new OneOf(Set.of("direct"), reason), true);
    }

    private static Shape toolChoice() {
        return fields("type name disable_parallel_tool_use", PLAIN);
    }

    private static Shape cacheControl() {
        return fields("type ttl scope", PLAIN);
    }

    private static Shape format() {
        return fields("type name description strict", PLAIN, "schema", FREE);
    }

    private static Shape contextEdit() {
        return fields(
                "type", PLAIN,
                "keep trigger clear_at_least clear_tool_inputs exclude_tools", FREE,
                "instructions pause_after_compaction", FREE);
    }

    private AnthropicMessages() {}
}
