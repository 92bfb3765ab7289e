package dev.ash.server.approval;

import dev.ash.protocol.Excerpt;
import dev.ash.protocol.bridge.BridgeEvent.Approval.Kind;
import dev.ash.protocol.json.RawJson;
import java.util.List;

/** A decision that no engine waits for any longer, as a sentence for the next prompt. */
public record DecisionNotice(String id, String message) {
    private static final int MAX_INPUT_CHARS = 400;

    /** All of them as one text to put before a prompt; empty for none. */
    public static String text(List<DecisionNotice> notices) {
        var text = new StringBuilder();
        notices.forEach(each -> text.append("\n- ").append(each.message()));
        return notices.isEmpty()
                ? ""
                : "Calls that waited for a decision when the engine ended were decided since:"
                        + text;
    }

    static DecisionNotice of(ApprovalRow row) {
        var call = row.tool() + " with " + shortened(row.input());
        var message = row.message();
        var why = message == null ? "" : " The answer came with this message: " + message;
        return new DecisionNotice(
                row.id().value(),
                switch (row.status()) {
                    case APPROVED -> call + " was approved: the same call will pass once." + why;
                    case MODIFIED -> call + changed(row) + why;
                    case REJECTED -> call + " was rejected." + why;
                    case EXPIRED -> call + " was not answered in time, which counts as rejected.";
                    case PENDING, CANCELLED ->
                            throw new IllegalArgumentException("nothing to tell of " + row.id());
                });
    }

    private static String changed(ApprovalRow row) {
        var input = row.decidedInput();
        var instead = input == null ? "" : shortened(input);
        return row.kind() == Kind.QUESTION
                ? " was answered: " + instead + "."
                : " was approved with another input, "
                        + instead
                        + ": the same call as before will run once, with that input.";
    }

    private static String shortened(RawJson json) {
        return shortened(json.onOneLine().toString(), MAX_INPUT_CHARS);
    }

    static String shortened(String text, int max) {
        return text.length() <= max
                ? text
                : Excerpt.of(text, max) + " (" + text.length() + " characters)";
    }
}
