package dev.ash.bridge.engine;

import dev.ash.protocol.bridge.BridgeCommand.Approve;
import dev.ash.protocol.bridge.BridgeEvent.Approval;
import dev.ash.protocol.json.RawJson;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Questions of a process that exited before they were answered. A later decision is used once, for
 * the same call of the next process. Thread-safe.
 */
public final class UnansweredQuestions {
    private record Call(String tool, RawJson input) {
        static Call of(Approval question) {
            return new Call(question.tool(), question.input());
        }
    }

    private final Map<String, Call> pending = new HashMap<>();
    private final Map<Call, Approve> decided = new HashMap<>();

    public synchronized void add(Approval question) {
        pending.put(question.id(), Call.of(question));
    }

    /** Records a decision; ignored if it is not about a pending question. */
    public synchronized void decide(Approve decision) {
        var call = pending.remove(decision.id());
        if (call != null) {
            decided.put(call, decision);
        }
    }

    /** Returns and removes the decision about the same call, or null. */
    public synchronized @Nullable Approve take(Approval question) {
        return decided.remove(Call.of(question));
    }
}
