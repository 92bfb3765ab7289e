package dev.ash.sandbox;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.HashSet;

/** Ends sandboxes that nobody needs, to make room for another. */
final class Evictions {
    private static final Logger LOG = System.getLogger(SandboxPool.class.getName());

    private final SandboxHost host;
    private final Places places;

    Evictions(SandboxHost host, Places places) {
        this.host = host;
        this.places = places;
    }

    /** Returns when the place has room; fails if no sandbox can be evicted for it. */
    void makeRoom(Place place, Evictor evictor) {
        var refused = new HashSet<Place>();
        for (var victim = places.victimFor(place, refused);
                victim.isPresent();
                victim = places.victimFor(place, refused)) {
            try {
                if (evict(victim.get(), evictor)) {
                    places.countEviction();
                }
            } catch (RuntimeException e) {
                LOG.log(Level.WARNING, "Sandbox " + victim.get().id + " could not be evicted", e);
            }
            refused.add(victim.get());
            places.spared(victim.get());
            place.requireWanted();
        }
    }

    private boolean evict(Place victim, Evictor evictor) {
        if (victim.state() == SandboxState.WAITING && !evictor.evict(victim.id)) {
            return false;
        }
        if (!victim.dismissUnlessRunning()) {
            return false;
        }
        host.end(victim.id);
        return victim.awaitReleased();
    }
}
