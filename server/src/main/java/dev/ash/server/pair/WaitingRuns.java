package dev.ash.server.pair;

import dev.ash.protocol.SessionId;
import dev.ash.server.approval.Asker;
import dev.ash.server.approval.AskerSource;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** The runs that wait for an answer of the user. */
public final class WaitingRuns implements AskerSource {
    private final Map<String, RunArbiter> waiting = new ConcurrentHashMap<>();

    void add(RunArbiter asker) {
        waiting.put(asker.bridgeId(), asker);
    }

    void remove(RunArbiter asker) {
        waiting.remove(asker.bridgeId(), asker);
    }

    /** Finds the waiting arbiter of the same run. */
    Optional<RunArbiter> find(RunArbiter ofSameRun) {
        return Optional.ofNullable(waiting.get(ofSameRun.bridgeId()));
    }

    @Override
    public Optional<Asker> find(SessionId session, String askerId) {
        return Optional.ofNullable(waiting.get(askerId));
    }
}
