package dev.ash.server.approval;

import dev.ash.protocol.SessionId;
import dev.ash.server.store.KillPoint;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.time.Clock;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Brings decisions to the bridges that wait for them. A decision is first marked as spent, for one
 * bridge, and then sent: if the server ends in between it is sent again to that bridge, which
 * ignores what it knows, and never to another.
 */
final class Answers {
    private static final System.Logger LOG = System.getLogger("ash.approval");

    private final ApprovalDeliveryStore store;
    private final Clock clock;
    private final DeliveryQueue deliveries;
    private final Set<SessionId> unwoken = ConcurrentHashMap.newKeySet();
    private final Map<AskerKind, AskerSource> sources = new ConcurrentHashMap<>();
    private volatile @Nullable Askers bridges;

    Answers(ApprovalDeliveryStore store, Clock clock, DeliveryQueue deliveries) {
        this.store = store;
        this.clock = clock;
        this.deliveries = deliveries;
    }

    void through(Askers live) {
        bridges = live;
    }

    void through(AskerKind kind, AskerSource source) {
        sources.put(kind, source);
    }

    Optional<Asker> live(SessionId session) {
        var known = bridges;
        return known == null ? Optional.empty() : known.of(session);
    }

    private Optional<Asker> asker(ApprovalRow row) {
        var id = row.place().bridgeId();
        var source = sources.get(row.question().asker());
        if (source != null) {
            return source.find(row.session(), id);
        }
        var known = bridges;
        return known == null ? Optional.empty() : known.of(row.session(), id);
    }

    /** Sends a decision that is spent at this bridge. */
    void send(Asker bridge, ApprovalRow row) {
        later(row.session(), () -> sendNow(bridge, row));
    }

    /** Gives a new decision to the bridge that waits for it, or wakes the turn that does. */
    void settle(ApprovalRow decided) {
        later(decided.session(), () -> settleNow(decided));
    }

    /** Gives a bridge what was decided before, whether it was sent or not. */
    void adopted(Asker bridge) {
        later(
                bridge.session(),
                () -> {
                    for (var row : store.decidedAt(bridge.session(), bridge.bridgeId())) {
                        spend(row, bridge);
                        sendNow(bridge, row);
                    }
                });
    }

    void wakeAll() {
        store.toWake().forEach(session -> later(session, () -> wake(session)));
    }

    void asleep(SessionId session) {
        later(
                session,
                () -> {
                    if (store.toWake().contains(session)) {
                        wake(session);
                    }
                });
    }

    /** Tries once more what failed, for want of a free sandbox perhaps. */
    void wakeAgain() {
        for (var session : Set.copyOf(unwoken)) {
            unwoken.remove(session);
            later(session, () -> wake(session));
        }
    }

    private void settleNow(ApprovalRow decided) {
        KillPoint.APPROVAL_DECIDED.reached();
        var bridge = asker(decided);
        if (bridge.isPresent() && spend(decided, bridge.get())) {
            KillPoint.APPROVAL_SPENT.reached();
            sendNow(bridge.get(), decided);
        } else if (store.isToWake(decided.id())) {
            wake(decided.session());
        }
    }

    private boolean spend(ApprovalRow row, Asker bridge) {
        return store.spendNow(row.id(), bridge.bridgeId(), clock.millis());
    }

    private static void sendNow(Asker bridge, ApprovalRow row) {
        try {
            if (row.isAnswered()) {
                bridge.answer(row.answer());
            } else {
                bridge.unanswered(row.answer());
            }
            KillPoint.APPROVAL_SENT.reached();
        } catch (IOException e) {
            // It ended, perhaps with the answer: to give it to another call would be once too
            // often.
            LOG.log(Level.INFO, "approval {0} did not reach its bridge: {1}", row.id(), e);
        }
    }

    private void wake(SessionId session) {
        var known = bridges;
        if (known == null) {
            return;
        }
        try {
            known.wake(session);
        } catch (RuntimeException e) {
            LOG.log(Level.WARNING, "session {0} cannot go on yet: {1}", session, e);
            unwoken.add(session);
        }
    }

    private void later(SessionId session, Runnable task) {
        if (!deliveries.submit(session, task)) {
            LOG.log(Level.WARNING, "session {0} does not read its answers", session);
        }
    }
}
