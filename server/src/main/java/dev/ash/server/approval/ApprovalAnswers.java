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
 * Decides questions, for people and for the clock, and delivers each decision to its asker: a
 * bridge that waits, a session that sleeps and must be woken for it, or another asker.
 */
public final class ApprovalAnswers implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger("ash.approval");

    private final ApprovalStore store;
    private final DecisionDelivery delivery;
    private final Decisions decisions;
    private final Sweeper sweeper;
    private final Askers bridges;
    private final Map<AskerKind, AskerSource> others;
    private final Set<SessionId> unwoken;

    /** {@code others}: the askers that are no bridges. */
    public ApprovalAnswers(
            Approvals approvals, Askers bridges, Map<AskerKind, AskerSource> others) {
        this.store = approvals.store();
        this.delivery = approvals.delivery();
        this.unwoken = approvals.unwoken();
        this.bridges = bridges;
        this.others = Map.copyOf(others);
        this.decisions = new Decisions(store, approvals.events(), this::settle);
        this.sweeper =
                new Sweeper(
                        store.expiry(),
                        approvals.schedule(),
                        approvals.clock(),
                        decisions::expire,
                        this::wakeAgain);
    }

    /**
     * Starts to expire questions, and wakes sessions whose answer came before the server exited.
     * Called once sessions are recovered.
     */
    public void start() {
        wakeAll();
        sweeper.start();
    }

    /** Open questions of a session, the oldest first. */
    public List<Approval> pending(TenantId tenant, SessionId session) {
        return store.lists().pending(tenant, session).stream().map(ApprovalRow::shown).toList();
    }

    ApprovalRow require(TenantId tenant, ApprovalId id) {
        return decisions.require(tenant, id);
    }

    /** Answers a question; the first answer counts. {@code by} names the entry point it used. */
    public Approval decide(TenantId tenant, ApprovalId id, ApprovalApi.Decide answer, String by) {
        return decisions.decide(tenant, id, answer, by).shown();
    }

    /** Delivers a new decision to the asker that waits for it, or wakes the session that does. */
    private void settle(ApprovalRow decided) {
        delivery.submit(decided.session(), () -> settleNow(decided));
    }

    private void settleNow(ApprovalRow decided) {
        KillPoint.APPROVAL_DECIDED.reached();
        var asker = asker(decided);
        boolean delivered = asker.isPresent() && delivery.deliver(asker.get(), decided);
        if (!delivered && store.deliveries().isToWake(decided.id())) {
            wake(decided.session());
        }
    }

    private Optional<Asker> asker(ApprovalRow row) {
        var id = row.place().bridgeId();
        var source = others.get(row.question().asker());
        return source == null ? bridges.of(row.session(), id) : source.find(row.session(), id);
    }

    void wakeAll() {
        for (var session : store.deliveries().toWake()) {
            delivery.submit(session, () -> wake(session));
        }
    }

    /** Repeats attempts that failed, for lack of a free sandbox perhaps. */
    void wakeAgain() {
        for (var session : Set.copyOf(unwoken)) {
            unwoken.remove(session);
            delivery.submit(session, () -> wake(session));
        }
    }

    private void wake(SessionId session) {
        try {
            bridges.wake(session);
        } catch (RuntimeException e) {
            LOG.log(Level.WARNING, "session {0} cannot continue yet: {1}", session, e);
            unwoken.add(session);
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
