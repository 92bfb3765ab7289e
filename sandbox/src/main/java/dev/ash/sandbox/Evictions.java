package dev.ash.sandbox;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.HashSet;

/** Ends sandboxes that nobody needs, to make room for another. */
final class Evictions {
    private static final Logger LOG = System.getLogger(SandboxPool.class.getName());

    private final SandboxHost host;
    private final Places places;
    private volatile Evictor evictor = _ -> false;

    Evictions(SandboxHost host, Places places) {
        this.host = host;
        this.places = places;
    }

    /** Who is asked whether a session can do without its waiting sandbox. */
    void ask(Evictor asked) {
        this.evictor = asked;
    }

    /** Returns when the place has room; fails if no sandbox can be evicted for it. */
    void makeRoom(Place place) {
        var refused = new HashSet<Place>();
        for (var victim = places.victimFor(place, refused);
                victim.isPresent();
                victim = places.victimFor(place, refused)) {
            try {
                if (evict(victim.get())) {
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

    private boolean evict(Place victim) {
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
