package dev.ash.pair.loop;

import dev.ash.pair.PeerName;
import java.time.Duration;

/** A peer of a run: a conversation with an engine, which keeps its context between turns. */
public interface Peer {
    PeerName name();

    /**
     * Runs one turn to its end. Idempotent for a key, also after a crash: a repeated call with the
     * same prompt waits for the same turn. Interrupting the thread interrupts the turn.
     */
    Reply runTurn(String key, String prompt, Duration limit)
            throws PeerFailedException, InterruptedException;

    /** Returns the total usage so far. */
    Usage usage();
}
