package dev.ash.e2e.model;

import dev.ash.e2e.model.ModelRequest.ToolResult;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Form of the requests and answers of one provider API. */
interface ModelWire {
    /**
     * An entry of a conversation: a prompt, the start of an answer of the model, or neither, as a
     * tool result.
     */
    record Entry(String prompt, boolean isAnswer) {
        static final Entry OTHER = new Entry("", false);
        static final Entry ANSWER = new Entry("", true);

        static Entry prompt(String text) {
            return new Entry(text, false);
        }
    }

    /** Returns whether a request is a turn of a conversation, unlike a request for a title. */
    boolean isTurn(ModelRequest request);

    boolean wantsStream(ModelRequest request);

    String model(ModelRequest request);

    /** Returns the whole system prompt as one text. */
    String system(JsonNode body);

    /** Returns all text of the conversation, except for the system prompt. */
    String conversation(JsonNode body);

    /** Returns the entries of the conversation, oldest first. */
    List<Entry> entries(JsonNode body);

    /** Returns the tool results, oldest first. */
    List<ToolResult> toolResults(JsonNode body);

    /** Returns the tools, each with its {@code name} and {@code description}. */
    List<JsonNode> tools(JsonNode body);

    /** Returns an answer as a stream of events. */
    AnswerStream stream(HttpConnection connection, ModelRequest request, JsonMapper mapper);

    /** Returns the body of an answer that is not streamed. */
    ObjectNode whole(WholeAnswer answer, JsonMapper mapper);

    /** Returns the body of a response with an HTTP error. */
    ObjectNode error(int status, JsonMapper mapper);

    default AnswerStream answer(
            HttpConnection connection, ModelRequest request, JsonMapper mapper) {
        return wantsStream(request)
                ? stream(connection, request, mapper)
                : new WholeAnswer(connection, this, mapper);
    }
}
