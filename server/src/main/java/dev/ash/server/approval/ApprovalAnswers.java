package dev.ash.server.approval;

import dev.ash.protocol.SessionId;
import dev.ash.protocol.TenantId;
import dev.ash.protocol.rest.Approval;
import dev.ash.protocol.rest.ApprovalApi;
import dev.ash.server.http.Endpoint;
import dev.ash.server.store.KillPoint;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Decides questions, by answers or expiry, and delivers each decision to its asker: a waiting
 * bridge, a sleeping session that must be woken first, or another kind of asker.
 */
public final class ApprovalAnswers implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger("ash.approval");

    private final ApprovalStore store;
    private final DecisionDelivery delivery;
    private final Decisions decisions;
    private final ExpirySweeper sweeper;
    private final Askers bridges;
    private final Map<AskerKind, AskerSource> otherAskers;
    private final Set<SessionId> sessionsToWake;

    /** {@code otherAskers} are the askers that are not bridges. */
    public ApprovalAnswers(
            Approvals approvals, Askers bridges, Map<AskerKind, AskerSource> otherAskers) {
        this.store = approvals.store();
        this.delivery = approvals.delivery();
        this.sessionsToWake = approvals.sessionsToWake();
        this.bridges = bridges;
        this.otherAskers = Map.copyOf(otherAskers);
        this.decisions = new Decisions(store, approvals.events(), this::deliver);
        this.sweeper =
                new ExpirySweeper(
                        store.expiry(),
                        approvals.schedule(),
                        approvals.clock(),
                        decisions::expire,
                        this::retryWakes);
    }

    /**
     * Starts to expire questions, and wakes sessions that were answered before the server exited.
     * Call this after sessions are recovered.
     */
    public void start() {
        wakeAll();
        sweeper.start();
    }

    /** Returns the open questions of a session, oldest first. */
    public List<Approval> pending(TenantId tenant, SessionId session) {
        return store.lists().pending(tenant, session).stream().map(ApprovalRow::toApi).toList();
    }

    ApprovalRow require(TenantId tenant, ApprovalId id) {
        return decisions.require(tenant, id);
    }

    /** Answers a question; the first answer counts. {@code by} names the entry point. */
    public Approval decide(TenantId tenant, ApprovalId id, ApprovalApi.Decide answer, String by) {
        return decisions.decide(tenant, id, answer, by).toApi();
    }

    /** Delivers a decision to the waiting asker, or wakes the session that waits for it. */
    private void deliver(ApprovalRow decided) {
        delivery.submit(decided.session(), () -> deliverNow(decided));
    }

    private void deliverNow(ApprovalRow decided) {
        KillPoint.APPROVAL_DECIDED.reached();
        var asker = asker(decided);
        boolean isDelivered = asker.isPresent() && delivery.deliver(asker.get(), decided);
        if (!isDelivered && store.deliveries().mustWake(decided.id())) {
            wake(decided.session());
        }
    }

    private Optional<Asker> asker(ApprovalRow row) {
        var id = row.position().bridgeId();
        var source = otherAskers.get(row.question().asker());
        return source == null ? bridges.askerOf(row.session(), id) : source.find(row.session(), id);
    }

    void wakeAll() {
        for (var session : store.deliveries().sessionsToWake()) {
            delivery.submit(session, () -> wake(session));
        }
    }

    /** Retries failed attempts to wake a session, for example for lack of a free sandbox. */
    void retryWakes() {
        for (var session : Set.copyOf(sessionsToWake)) {
            sessionsToWake.remove(session);
            delivery.submit(session, () -> wake(session));
        }
    }

    private void wake(SessionId session) {
        try {
            bridges.wake(session);
        } catch (RuntimeException e) {
            LOG.log(
                    Level.WARNING,
                    "cannot wake session {0} for a decision, will retry: {1}",
                    session,
                    e);
            sessionsToWake.add(session);
        }
    }

    public List<Endpoint> endpoints() {
        return new ApprovalRoutes(this, store).endpoints();
    }

    @Override
    public void close() {
        sweeper.close();
    }
}
