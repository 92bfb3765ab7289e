package dev.ash.sandbox;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.HashSet;

/** Frees pool capacity by terminating warm and idle sandboxes. */
final class Evictions {
    private static final Logger LOG = System.getLogger(SandboxPool.class.getName());

    private final SandboxHost host;
    private final PoolEntries entries;

    Evictions(SandboxHost host, PoolEntries entries) {
        this.host = host;
        this.entries = entries;
    }

    /** Evicts sandboxes until the entry is admitted; throws if none can be evicted for it. */
    void admit(PoolEntry entry, Evictor evictor) {
        var refused = new HashSet<PoolEntry>();
        for (var victim = entries.victimFor(entry, refused);
                victim.isPresent();
                victim = entries.victimFor(entry, refused)) {
            try {
                if (evict(victim.get(), evictor)) {
                    entries.countEviction();
                }
            } catch (RuntimeException e) {
                LOG.log(Level.WARNING, "Cannot evict sandbox " + victim.get().id, e);
            }
            refused.add(victim.get());
            entries.unreserve(victim.get());
            entry.requireNotDismissed();
        }
    }

    private boolean evict(PoolEntry victim, Evictor evictor) {
        if (victim.state() == SandboxState.WAITING && !evictor.evict(victim.id)) {
            return false;
        }
        if (!victim.dismissUnlessRunning()) {
            return false;
        }
        host.terminate(victim.id);
        return victim.awaitReleased();
    }
}
