package dev.ash.server.approval;

import dev.ash.protocol.SessionId;
import dev.ash.server.store.KillPoint;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.time.Clock;

/**
 * Delivers decisions to askers, in order within a session. A decision is first marked as spent for
 * one asker and then sent: if the server exits in between, it is sent again to the same asker,
 * which ignores repetitions, and never to another one.
 */
final class DecisionDelivery {
    private static final System.Logger LOG = System.getLogger("ash.approval");

    private final ApprovalDeliveryStore store;
    private final Clock clock;
    private final DeliveryQueue queue;

    DecisionDelivery(ApprovalDeliveryStore store, Clock clock, DeliveryQueue queue) {
        this.store = store;
        this.clock = clock;
        this.queue = queue;
    }

    /** Sends a decision that is already marked as spent for this asker. */
    void send(Asker asker, ApprovalRow row) {
        submit(row.session(), () -> sendNow(asker, row));
    }

    /** Sends all decisions for an adopted asker, including those sent before. */
    void sendAll(Asker asker) {
        submit(
                asker.session(),
                () -> {
                    for (var row : store.decidedAt(asker.session(), asker.bridgeId())) {
                        spend(row, asker);
                        sendNow(asker, row);
                    }
                });
    }

    /** Marks a decision as spent and sends it; returns false if it is for another call. Blocks. */
    boolean deliver(Asker asker, ApprovalRow row) {
        if (!spend(row, asker)) {
            return false;
        }
        KillPoint.APPROVAL_SPENT.reached();
        sendNow(asker, row);
        return true;
    }

    private boolean spend(ApprovalRow row, Asker asker) {
        return store.spendNow(row.id(), asker.bridgeId(), clock.millis());
    }

    private static void sendNow(Asker asker, ApprovalRow row) {
        try {
            if (row.isAnswered()) {
                asker.answer(row.toCommand());
            } else {
                asker.onUnanswered(row.toCommand());
            }
            KillPoint.APPROVAL_SENT.reached();
        } catch (IOException e) {
            // The asker has exited and may have received the answer: no other call may use it.
            LOG.log(Level.INFO, "cannot deliver approval {0} to its asker: {1}", row.id(), e);
        }
    }

    /** Queues a task behind earlier tasks of the same session. */
    void submit(SessionId session, Runnable task) {
        if (!queue.submit(session, task)) {
            LOG.log(
                    Level.WARNING,
                    "session {0} does not read answers; dropping a delivery",
                    session);
        }
    }
}
