package dev.ash.bridge.codex;

import dev.ash.bridge.engine.OpenQuestions;
import dev.ash.bridge.engine.Turn;
import dev.ash.protocol.bridge.BridgeCommand.Approve;
import dev.ash.protocol.bridge.BridgeEvent.Approval;
import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;
import org.jspecify.annotations.Nullable;

/**
 * An open question of the CLI, and the format of its answer. The CLI accepts only yes or no, so
 * reasons and modified inputs are sent to the model as a message.
 *
 * @param params the parameters of the request, with the ids of the model's questions
 */
record CodexQuestion(
        RawJson requestId,
        Form form,
        JsonObject params,
        @Nullable Turn turn,
        @Nullable String turnId,
        Approval approval)
        implements OpenQuestions.Question {

    enum Form {
        /** A command or a change of files. */
        DECISION,
        /** A tool of an MCP server. */
        ELICITATION,
        /** A question of the model. */
        INPUT
    }

    /** Returns whether the decision allows the call with its original input. */
    boolean allowedBy(Approve decision) {
        return decision.allow() && (form == Form.INPUT || !changes(decision));
    }

    private boolean changes(Approve decision) {
        return decision.input() != null && !decision.input().equals(approval.input());
    }

    /** Returns a message to the model about the decision, or null. */
    @Nullable String remark(Approve decision) {
        if (decision.allow() && form != Form.INPUT && changes(decision)) {
            return "The user wants "
                    + approval.tool()
                    + " to be called with another input: "
                    + decision.input();
        }
        return decision.allow() || decision.message() == null
                ? null
                : "About the call of %s that was not approved: %s"
                        .formatted(approval.tool(), decision.message());
    }

    RawJson answer(Approve decision) throws MalformedJsonException {
        boolean yes = allowedBy(decision);
        return switch (form) {
            case DECISION -> decision(yes);
            case ELICITATION -> elicitation(yes);
            case INPUT -> input(yes ? decision.input() : null);
        };
    }

    /** Returns the answer to a request that is decided by rules. */
    static RawJson answer(Form form, boolean yes) {
        return form == Form.DECISION ? decision(yes) : elicitation(yes);
    }

    private static RawJson decision(boolean yes) {
        return JsonWriter.object().put("decision", yes ? "accept" : "decline").end();
    }

    private static RawJson elicitation(boolean yes) {
        return yes
                ? RawJson.of("{\"action\":\"accept\",\"content\":{}}")
                : RawJson.of("{\"action\":\"decline\"}");
    }

    private RawJson input(@Nullable RawJson given) throws MalformedJsonException {
        var json = JsonWriter.object().name("answers").open('{');
        if (given != null) {
            var answers = JsonObject.parse(given).stringMap("answers");
            var questions = params.raw("questions").orElse(RawJson.of("[]"));
            for (var element : JsonObject.elements(questions)) {
                var question = JsonObject.parse(element);
                var answer = answers.get(question.string("question").orElse(""));
                if (answer != null) {
                    json.name(question.string("id").orElse("")).open('{').name("answers");
                    json.open('[').value(answer).close(']').close('}');
                }
            }
        }
        return json.close('}').end();
    }
}
