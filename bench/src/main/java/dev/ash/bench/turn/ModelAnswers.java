package dev.ash.bench.turn;

/** The answer "Yes." in the form of each provider's API. */
final class ModelAnswers {
    private static final String MESSAGES_STREAM =
            """
            event: message_start
            data: {"type":"message_start","message":{"id":"msg_1","type":"message",\
            "role":"assistant","model":"claude-sonnet-4-5","content":[],"stop_reason":null,\
            "stop_sequence":null,"usage":{"input_tokens":10,"output_tokens":1}}}

            event: content_block_start
            data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}

            event: content_block_delta
            data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Yes."}}

            event: content_block_stop
            data: {"type":"content_block_stop","index":0}

            event: message_delta
            data: {"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},\
            "usage":{"output_tokens":5}}

            event: message_stop
            data: {"type":"message_stop"}

            """;
    private static final String MESSAGES_WHOLE =
            """
            {"id":"msg_1","type":"message","role":"assistant","model":"claude-sonnet-4-5",\
            "content":[{"type":"text","text":"Yes."}],"stop_reason":"end_turn","stop_sequence":null,\
            "usage":{"input_tokens":10,"output_tokens":5}}""";

    private static final String RESPONSES_STREAM =
            """
            event: response.created
            data: {"type":"response.created","response":{"id":"resp_1","status":"in_progress"}}

            event: response.output_item.done
            data: {"type":"response.output_item.done","output_index":0,"item":{"type":"message",\
            "role":"assistant","id":"m_1","content":[{"type":"output_text","text":"Yes."}]}}

            event: response.completed
            data: {"type":"response.completed","response":{"id":"resp_1","status":"completed",\
            "usage":{"input_tokens":10,"output_tokens":5,"total_tokens":15}}}

            """;

    private static final String CHAT_STREAM =
            """
            data: {"id":"c_1","object":"chat.completion.chunk","created":1,"model":"m",\
            "choices":[{"index":0,"delta":{"role":"assistant","content":"Yes."},"finish_reason":null}]}

            data: {"id":"c_1","object":"chat.completion.chunk","created":1,"model":"m",\
            "choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}

            data: {"id":"c_1","object":"chat.completion.chunk","created":1,"model":"m","choices":[],\
            "usage":{"prompt_tokens":10,"completion_tokens":5,"total_tokens":15}}

            data: [DONE]

            """;
    private static final String CHAT_WHOLE =
            """
            {"id":"c_1","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,\
            "message":{"role":"assistant","content":"Yes."},"finish_reason":"stop"}],\
            "usage":{"prompt_tokens":10,"completion_tokens":5,"total_tokens":15}}""";

    private static final String GEMINI_WHOLE =
            """
            {"candidates":[{"index":0,"content":{"role":"model","parts":[{"text":"Yes."}]},\
            "finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":10,\
            "candidatesTokenCount":5,"totalTokenCount":15},"modelVersion":"gemini-2.5-pro"}""";
    private static final String GEMINI_STREAM = "data: " + GEMINI_WHOLE + "\r\n\r\n";

    /** Returns whether a request asks for a stream of events. */
    static boolean isStream(String path, String request) {
        return path.contains(":streamGenerateContent")
                || request.replace(" ", "").contains("\"stream\":true");
    }

    static String of(String path, boolean stream) {
        if (path.endsWith("count_tokens")) {
            return "{\"input_tokens\":10}";
        }
        if (path.endsWith(":countTokens")) {
            return "{\"totalTokens\":10}";
        }
        if (path.contains("enerateContent")) {
            return stream ? GEMINI_STREAM : GEMINI_WHOLE;
        }
        if (path.endsWith("/chat/completions")) {
            return stream ? CHAT_STREAM : CHAT_WHOLE;
        }
        if (path.endsWith("/responses")) {
            return RESPONSES_STREAM;
        }
        return stream ? MESSAGES_STREAM : MESSAGES_WHOLE;
    }

    private ModelAnswers() {}
}
