package dev.ash.server.pair;

import dev.ash.protocol.SessionId;
import dev.ash.server.approval.Approvals;
import dev.ash.server.approval.Asker;
import dev.ash.server.approval.Askers;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** Runs that wait for a person, beside the bridges and terminals that do. */
public final class PairQuestions implements Askers {
    private final Approvals approvals;
    private final Askers others;
    private final Map<String, RunArbiter> waiting = new ConcurrentHashMap<>();

    /** What is not for a run passes on to {@code others}. */
    public PairQuestions(Approvals approvals, Askers others) {
        this.approvals = approvals;
        this.others = others;
    }

    Approvals approvals() {
        return approvals;
    }

    void begins(RunArbiter asker) {
        waiting.put(asker.bridgeId(), asker);
    }

    void ends(RunArbiter asker) {
        waiting.remove(asker.bridgeId(), asker);
    }

    /** The one that waits for the run of another. */
    Optional<RunArbiter> waiting(RunArbiter ofSameRun) {
        return Optional.ofNullable(waiting.get(ofSameRun.bridgeId()));
    }

    /** Whoever asks for the session itself: a run is never that. */
    @Override
    public Optional<Asker> of(SessionId session) {
        return others.of(session);
    }

    @Override
    public Optional<Asker> of(SessionId session, String askerId) {
        var run = waiting.get(askerId);
        return run == null ? others.of(session, askerId) : Optional.of(run);
    }

    @Override
    public void wake(SessionId session) {
        others.wake(session);
    }
}
