package dev.ash.server.approval;

import dev.ash.protocol.bridge.BridgeEvent.Approval.Kind;
import dev.ash.server.event.NewEvent;
import dev.ash.server.store.Transaction;
import java.util.List;

/**
 * What a question is when a bridge asks it. Tried in this order, in one unit of work:
 *
 * <ol>
 *   <li>an event that came before: a decision is given to the same bridge again;
 *   <li>the same call, asked by an earlier bridge that ended: its row goes on, and a decision that
 *       nobody had is given to this call and no other;
 *   <li>a tool that passes in this session;
 *   <li>a new question.
 * </ol>
 */
final class Rules {
    private final ApprovalStore store;

    Rules(ApprovalStore store) {
        this.store = store;
    }

    /** The events to log, and the row whose decision is to be sent. */
    record Outcome(ApprovalRow row, List<NewEvent> events, boolean isToAnswer) {}

    /** {@code asked} is the row that a new question would make. */
    Outcome apply(Transaction transaction, ApprovalRow asked, long now) {
        var replayed = store.at(transaction, asked.session(), asked.place());
        if (replayed.isPresent()) {
            return given(transaction, replayed.get(), now, List.of());
        }
        boolean passes =
                asked.kind() == Kind.TOOL
                        && store.rules().allows(transaction, asked.session(), asked.tool());
        var earlier = store.repeatedCalls().find(transaction, asked);
        if (earlier.isPresent()) {
            return again(transaction, earlier.get(), asked, passes, now);
        }
        store.insert(transaction, asked);
        if (passes) {
            byRule(transaction, asked.id(), now);
            return given(transaction, row(transaction, asked), now, List.of());
        }
        return new Outcome(asked, List.of(asked.required(asked.place())), false);
    }

    private Outcome again(
            Transaction transaction,
            ApprovalRow earlier,
            ApprovalRow asked,
            boolean passes,
            long now) {
        store.repeatedCalls().rebind(transaction, earlier.id(), asked);
        if (earlier.isPending() && passes) {
            byRule(transaction, earlier.id(), now);
            var row = row(transaction, earlier);
            return given(transaction, row, now, List.of(row.resolved(asked.place())));
        }
        var row = row(transaction, earlier);
        // Whoever follows this turn may never have seen the one in which it was asked first.
        var events = row.isPending() ? List.of(row.required(asked.place())) : List.<NewEvent>of();
        return given(transaction, row, now, events);
    }

    private void byRule(Transaction transaction, ApprovalId id, long now) {
        store.decide(transaction, id, Decision.BY_RULE, DecidedBy.RULE, now);
    }

    private Outcome given(
            Transaction transaction, ApprovalRow row, long now, List<NewEvent> events) {
        if (!row.isPending()) {
            store.deliveries().spend(transaction, row.id(), row.place().bridgeId(), now);
        }
        return new Outcome(row, events, !row.isPending());
    }

    private ApprovalRow row(Transaction transaction, ApprovalRow of) {
        return store.require(transaction, of.id());
    }
}
