package dev.ash.server.approval;

import dev.ash.protocol.Excerpt;
import dev.ash.protocol.bridge.BridgeEvent.Approval.Kind;
import dev.ash.protocol.json.RawJson;
import java.util.List;

/** A decision that no engine waits for, as a message for the next prompt. */
public record DecisionNotice(String id, String message) {
    private static final int MAX_INPUT_CHARS = 400;

    /** Combines notices into a text to prepend to a prompt; empty for none. */
    public static String text(List<DecisionNotice> notices) {
        var text = new StringBuilder();
        notices.forEach(each -> text.append("\n- ").append(each.message()));
        return notices.isEmpty()
                ? ""
                : "These tool calls were waiting for a decision when the engine exited, and have been decided:"
                        + text;
    }

    static DecisionNotice of(ApprovalRow row) {
        var call = row.tool() + " with " + shortened(row.input());
        var message = row.message();
        var suffix = message == null ? "" : " Message of the user: " + message;
        return new DecisionNotice(
                row.id().value(),
                switch (row.status()) {
                    case APPROVED ->
                            call + " was approved: the same call will be allowed once." + suffix;
                    case MODIFIED -> call + changed(row) + suffix;
                    case REJECTED -> call + " was rejected." + suffix;
                    case EXPIRED -> call + " was not answered in time and counts as rejected.";
                    case PENDING, CANCELLED ->
                            throw new IllegalArgumentException(
                                    "no decision to report for " + row.id());
                });
    }

    private static String changed(ApprovalRow row) {
        var input = row.decidedInput();
        var newInput = input == null ? "" : shortened(input);
        return row.kind() == Kind.QUESTION
                ? " was answered: " + newInput + "."
                : " was approved with a different input, "
                        + newInput
                        + ": the same call will be run once, with that input.";
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
