package dev.ash.bridge.acp;

import dev.ash.bridge.engine.OpenQuestions;
import dev.ash.bridge.engine.Turn;
import dev.ash.protocol.bridge.BridgeCommand.Approve;
import dev.ash.protocol.bridge.BridgeEvent.Approval;
import dev.ash.protocol.json.RawJson;
import org.jspecify.annotations.Nullable;

/**
 * An open question of an agent. The agent accepts only yes or no, so reasons and modified inputs
 * are sent to the model as a message.
 *
 * @param line the request, unparsed
 */
record AcpQuestion(
        RawJson requestId,
        PermissionOptions options,
        AcpToolUse use,
        Turn turn,
        Approval approval,
        RawJson line)
        implements OpenQuestions.Question {

    /** Returns whether the decision allows the call with its original input. */
    boolean allowedBy(Approve decision) {
        return decision.allow() && !changes(decision);
    }

    private boolean changes(Approve decision) {
        return decision.input() != null && !decision.input().equals(approval.input());
    }

    /** Returns a message to the model about the decision, or null. */
    @Nullable String remark(Approve decision) {
        if (decision.allow() && changes(decision)) {
            return "The user did not approve the call of %s with the input %s. The user wants it to be called with this input instead: %s"
                    .formatted(approval.tool(), approval.input(), decision.input());
        }
        return decision.allow() || decision.message() == null
                ? null
                : "About the call of %s that was not approved: %s"
                        .formatted(approval.tool(), decision.message());
    }
}
