package dev.ash.pair.loop;

import dev.ash.pair.PeerName;
import java.time.Duration;

/** A member of the pair: one conversation that remembers what it was told before. */
public interface Peer {
    PeerName name();

    /**
     * Runs one turn to its end. Asked again with the same key and prompt, be it after a crash, it
     * does not run again: it goes on to the end of the same turn. An interrupted thread interrupts
     * the turn.
     */
    Reply ask(String key, String prompt, Duration limit)
            throws PeerFailedException, InterruptedException;

    /** All that it has used so far. */
    Usage used();
}
