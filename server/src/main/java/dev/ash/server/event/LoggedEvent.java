package dev.ash.server.event;

import dev.ash.protocol.TurnId;
import dev.ash.protocol.json.RawJson;
import org.jspecify.annotations.Nullable;

/**
 * An event as watchers see it. {@code seq} is its number in the log, 0 for a hint that is in none.
 */
public record LoggedEvent(
        long seq, @Nullable TurnId turn, EventType type, RawJson data, long createdAt) {

    public boolean isHint() {
        return seq == 0;
    }

    public boolean belongsTo(TurnId id) {
        return id.equals(turn);
    }
}
