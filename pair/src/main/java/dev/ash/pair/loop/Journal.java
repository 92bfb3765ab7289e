package dev.ash.pair.loop;

import dev.ash.pair.PeerName;
import org.jspecify.annotations.Nullable;

/** Persists the progress and events of a run. */
public interface Journal {
    /** Saves the progress durably; after a crash the run resumes from it. */
    void save(Progress progress);

    /** Appends an event to the transcript. */
    void record(Event event);

    /** An event of a run; {@code content} is the complete prompt, reply or output. */
    record Event(String type, int round, @Nullable PeerName peer, String content) {}
}
