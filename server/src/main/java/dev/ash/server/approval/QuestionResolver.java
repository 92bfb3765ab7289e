package dev.ash.server.approval;

import dev.ash.protocol.bridge.BridgeEvent.Approval.Kind;
import dev.ash.server.event.NewEvent;
import dev.ash.server.store.Transaction;
import java.util.List;

/**
 * Resolves a question of a bridge in one unit of work. The first matching case applies:
 *
 * <ol>
 *   <li>a replayed event: sends an existing decision to the same bridge again;
 *   <li>a call repeated from an earlier bridge: reuses its row, and assigns an undelivered decision
 *       to this call only;
 *   <li>a tool that is approved for the session: approves the call;
 *   <li>otherwise: stores a new question.
 * </ol>
 */
final class QuestionResolver {
    private final ApprovalStore store;

    QuestionResolver(ApprovalStore store) {
        this.store = store;
    }

    /** The row of the question, the events to log, and whether to send a decision. */
    record Outcome(ApprovalRow row, List<NewEvent> events, boolean isDecided) {}

    /** {@code asked} is the row to store if the question is new. */
    Outcome resolve(Transaction transaction, ApprovalRow asked, long now) {
        var replayed = store.find(transaction, asked.session(), asked.position());
        if (replayed.isPresent()) {
            return outcome(transaction, replayed.get(), now, List.of());
        }
        boolean isAllowed =
                asked.kind() == Kind.TOOL
                        && store.rules().allows(transaction, asked.session(), asked.tool());
        var earlier = store.repeatedCalls().find(transaction, asked);
        if (earlier.isPresent()) {
            return repeat(transaction, earlier.get(), asked, isAllowed, now);
        }
        store.insert(transaction, asked);
        if (isAllowed) {
            approveByRule(transaction, asked.id(), now);
            return outcome(transaction, reload(transaction, asked), now, List.of());
        }
        return new Outcome(asked, List.of(asked.requiredEvent(asked.position())), false);
    }

    private Outcome repeat(
            Transaction transaction,
            ApprovalRow earlier,
            ApprovalRow asked,
            boolean isAllowed,
            long now) {
        store.repeatedCalls().rebind(transaction, earlier.id(), asked);
        if (earlier.isPending() && isAllowed) {
            approveByRule(transaction, earlier.id(), now);
            var row = reload(transaction, earlier);
            return outcome(transaction, row, now, List.of(row.resolvedEvent(asked.position())));
        }
        var row = reload(transaction, earlier);
        // Subscribers of this turn may not have seen the turn of the first question.
        var events =
                row.isPending()
                        ? List.of(row.requiredEvent(asked.position()))
                        : List.<NewEvent>of();
        return outcome(transaction, row, now, events);
    }

    private void approveByRule(Transaction transaction, ApprovalId id, long now) {
        store.decide(transaction, id, Decision.BY_RULE, DecidedBy.RULE, now);
    }

    private Outcome outcome(
            Transaction transaction, ApprovalRow row, long now, List<NewEvent> events) {
        if (!row.isPending()) {
            store.deliveries().spend(transaction, row.id(), row.position().bridgeId(), now);
        }
        return new Outcome(row, events, !row.isPending());
    }

    private ApprovalRow reload(Transaction transaction, ApprovalRow row) {
        return store.require(transaction, row.id());
    }
}
