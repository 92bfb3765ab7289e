package dev.ash.bridge.claude;

import dev.ash.bridge.engine.OpenQuestions;
import dev.ash.bridge.engine.Turn;
import dev.ash.protocol.bridge.BridgeCommand.Approve;
import dev.ash.protocol.bridge.BridgeEvent.Approval;
import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;
import org.jspecify.annotations.Nullable;

/** An open question of the CLI, and the format of its answer. */
record ClaudeQuestion(String requestId, boolean byHook, @Nullable Turn turn, Approval approval)
        implements OpenQuestions.Question {

    private static final String NOT_APPROVED = "The user did not approve this call.";

    /** Returns the line with the answer; denies a changed input that is not a JSON object. */
    RawJson answer(Approve decision) {
        if (!decision.allow()) {
            return deny(decision.message() == null ? NOT_APPROVED : decision.message());
        }
        try {
            return allow(input(decision.input()));
        } catch (MalformedJsonException e) {
            return deny(
                    "The modified input of the approval is not a JSON object: " + e.getMessage());
        }
    }

    private RawJson allow(RawJson input) {
        return byHook
                ? ControlMessages.hookAllows(requestId, input)
                : ControlMessages.allow(requestId, input);
    }

    private RawJson deny(String message) {
        return byHook
                ? ControlMessages.hookDenies(requestId, message)
                : ControlMessages.deny(requestId, message);
    }

    private RawJson input(@Nullable RawJson changed) throws MalformedJsonException {
        if (changed == null) {
            return approval.input();
        }
        var fields = JsonObject.parse(changed);
        return approval.kind() == Approval.Kind.QUESTION && fields.raw("questions").isEmpty()
                ? withQuestions(fields)
                : changed;
    }

    private RawJson withQuestions(JsonObject answer) throws MalformedJsonException {
        var json = JsonWriter.object();
        json.put("questions", JsonObject.parse(approval.input()).raw("questions").orElse(null));
        for (var name : answer.names()) {
            json.put(name, answer.raw(name).orElse(null));
        }
        return json.end();
    }
}
