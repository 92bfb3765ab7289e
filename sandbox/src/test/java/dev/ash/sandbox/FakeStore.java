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
    volatile boolean refusesClaims;

    @Override
    public void recordLaunch(SandboxRow row) {
        rows.put(row.id(), Optional.ofNullable(row.session()));
    }

    @Override
    public void updateState(SandboxId id, SandboxState state) {}

    @Override
    public void recordClaim(SandboxId id, SessionId session) {
        if (refusesClaims) {
            throw new IllegalStateException("the disk is full");
        }
        rows.put(id, Optional.of(session));
    }

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
