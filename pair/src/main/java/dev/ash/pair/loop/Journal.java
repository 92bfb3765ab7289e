package dev.ash.pair.loop;

import dev.ash.pair.PeerName;
import org.jspecify.annotations.Nullable;

/** What is written of a run while it runs. */
public interface Journal {
    /** On the disk when this returns: the run goes on from here if everything dies now. */
    void keep(Progress progress);

    /** For those who watch, and for reading afterwards. */
    void note(Event event);

    /** What happened; {@code content} is whole, be it a prompt, an answer or an output. */
    record Event(String type, int round, @Nullable PeerName peer, String content) {}
}
