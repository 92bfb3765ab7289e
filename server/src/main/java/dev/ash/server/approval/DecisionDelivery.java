package dev.ash.server.approval;

import dev.ash.protocol.SessionId;
import dev.ash.server.store.KillPoint;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.time.Clock;

/**
 * Delivers decisions to askers, those of a session in order. A decision is first marked as spent,
 * for one asker, and then sent: if the server exits in between it is sent again to that asker,
 * which ignores repetitions, and never to another.
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

    /** Sends a decision that is spent for this asker. */
    void send(Asker asker, ApprovalRow row) {
        submit(row.session(), () -> sendNow(asker, row));
    }

    /** Sends an adopted asker all decisions for it, whether they were sent before or not. */
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

    /** Marks and sends a decision; returns false if it is for another call. Blocks. */
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
                asker.answer(row.answer());
            } else {
                asker.unanswered(row.answer());
            }
            KillPoint.APPROVAL_SENT.reached();
        } catch (IOException e) {
            // It has exited, perhaps with the answer: another call must not get it too.
            LOG.log(Level.INFO, "approval {0} did not reach its asker: {1}", row.id(), e);
        }
    }

    /** Runs the task after those before it of the same session. */
    void submit(SessionId session, Runnable task) {
        if (!queue.submit(session, task)) {
            LOG.log(Level.WARNING, "session {0} does not read its answers", session);
        }
    }
}
