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
 * A question that the CLI waits on, and how it wants to be answered. The CLI takes yes or no: why
 * not, and what instead, has to be said to the model as a message.
 *
 * @param params of the request, where the questions of the model have their ids
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
        /** Of a command or a change of files. */
        DECISION,
        /** Of a tool of an MCP server. */
        ELICITATION,
        /** A question of the model's own. */
        INPUT
    }

    /** Whether the call may run as it is. */
    boolean allowedBy(Approve decision) {
        return decision.allow() && (form == Form.INPUT || !changes(decision));
    }

    private boolean changes(Approve decision) {
        return decision.input() != null && !decision.input().equals(approval.input());
    }

    /** What the model is to be told besides; null for nothing. */
    @Nullable String remark(Approve decision) {
        if (decision.allow() && form != Form.INPUT && changes(decision)) {
            return "The user wants "
                    + approval.tool()
                    + " to be called with another input, which is: "
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

    /** What a request of this form is told where nobody is asked. */
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
