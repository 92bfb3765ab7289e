package dev.ash.server.pair;

import dev.ash.pair.archive.PeerAssignment;
import dev.ash.pair.archive.RunSetup;
import dev.ash.protocol.SessionId;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The titles of peers' sessions in user interfaces. */
public final class PeerTitles {
    private final Map<SessionId, String> titles = new ConcurrentHashMap<>();

    public Optional<String> of(SessionId session) {
        return Optional.ofNullable(titles.get(session));
    }

    void set(RunSetup setup, @Nullable PeerAssignment worker, @Nullable PeerAssignment reviewer) {
        var title = RunTitle.of(setup);
        put(worker, title.of("worker"));
        put(reviewer, title.of("reviewer"));
    }

    private void put(@Nullable PeerAssignment assignment, String title) {
        if (assignment != null && assignment.session() != null) {
            titles.put(new SessionId(assignment.session()), title);
        }
    }
}
