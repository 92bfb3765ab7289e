package dev.ash.server.pair;

import dev.ash.protocol.SessionId;
import dev.ash.server.approval.Approvals;
import dev.ash.server.approval.Asker;
import dev.ash.server.approval.AskerSource;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** Runs that wait for a person. */
public final class PairQuestions implements AskerSource {
    private final Approvals approvals;
    private final Map<String, RunArbiter> waiting = new ConcurrentHashMap<>();

    public PairQuestions(Approvals approvals) {
        this.approvals = approvals;
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

    @Override
    public Optional<Asker> find(SessionId session, String askerId) {
        return Optional.ofNullable(waiting.get(askerId));
    }
}
