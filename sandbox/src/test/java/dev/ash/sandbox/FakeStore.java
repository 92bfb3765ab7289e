package dev.ash.sandbox;

import dev.ash.protocol.SandboxId;
import dev.ash.protocol.SessionId;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/** Rows in memory: which sandbox belongs to which session, if to any. */
final class FakeStore implements SandboxStore {
    final Map<SandboxId, Optional<SessionId>> rows = new ConcurrentHashMap<>();
    volatile boolean refusesClaims;

    @Override
    public void starting(SandboxRow row) {
        rows.put(row.id(), Optional.ofNullable(row.session()));
    }

    @Override
    public void state(SandboxId id, SandboxState state) {}

    @Override
    public void claimed(SandboxId id, SessionId session) {
        if (refusesClaims) {
            throw new IllegalStateException("the disk is full");
        }
        rows.put(id, Optional.of(session));
    }

    @Override
    public Set<SandboxId> unclaimed() {
        return rows.keySet().stream()
                .filter(id -> rows.get(id).isEmpty())
                .collect(Collectors.toSet());
    }

    @Override
    public void removed(SandboxId id) {
        rows.remove(id);
    }
}
