package dev.ash.bridge.codex;

import dev.ash.protocol.bridge.BridgeCommand.Approve;
import dev.ash.protocol.bridge.BridgeEvent.Approval;
import dev.ash.protocol.json.RawJson;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Questions of a process that died before it was answered. A decision that comes afterwards is for
 * the next process: the same call is answered with it once, any other asks.
 */
final class LostQuestions {
    private record Call(String tool, RawJson input) {
        static Call of(Approval question) {
            return new Call(question.tool(), question.input());
        }
    }

    private final Map<String, Call> lost = new HashMap<>();
    private final Map<Call, Approve> decided = new HashMap<>();

    synchronized void add(Approval question) {
        lost.put(question.id(), Call.of(question));
    }

    /** Ignored if the decision is about no lost question. */
    synchronized void decide(Approve decision) {
        var call = lost.remove(decision.id());
        if (call != null) {
            decided.put(call, decision);
        }
    }

    /** What was decided about a call like this one; null if nothing, or if it was taken before. */
    synchronized @Nullable Approve take(Approval question) {
        return decided.remove(Call.of(question));
    }
}
