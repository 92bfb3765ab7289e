package dev.ash.sandbox;

import dev.ash.protocol.SandboxId;
import dev.ash.protocol.SessionId;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/** An in-memory store of the session of each sandbox, if any. */
final class FakeStore implements SandboxStore {
    final Map<SandboxId, Optional<SessionId>> rows = new ConcurrentHashMap<>();

    /** Claims a warm sandbox and stores its session, as a session does. */
    Optional<Sandbox> claim(SandboxPool pool, WarmKey key) {
        var claimed = pool.claim(key);
        var session = Optional.of(SessionId.random());
        claimed.ifPresent(sandbox -> rows.computeIfPresent(sandbox.id(), (_, _) -> session));
        return claimed;
    }

    @Override
    public void recordLaunch(SandboxRow row) {
        rows.put(row.id(), Optional.ofNullable(row.session()));
    }

    @Override
    public void updateState(SandboxId id, SandboxState state) {}

    @Override
    public Set<SandboxId> findUnused() {
        return rows.keySet().stream()
                .filter(id -> rows.get(id).isEmpty())
                .collect(Collectors.toSet());
    }

    @Override
    public void delete(SandboxId id) {
        rows.remove(id);
    }
}
