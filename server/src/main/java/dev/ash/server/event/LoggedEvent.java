package dev.ash.server.event;

import dev.ash.protocol.TurnId;
import dev.ash.protocol.json.RawJson;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An event as it is published to subscribers.
 *
 * @param seq its number in the log; 0 for a transient event, which is not stored
 * @param mayHaveDerivedFrames false if it is known that no frames can be derived from it
 */
public record LoggedEvent(
        long seq,
        @Nullable TurnId turn,
        EventType type,
        RawJson data,
        long createdAt,
        boolean mayHaveDerivedFrames) {

    public LoggedEvent(
            long seq, @Nullable TurnId turn, EventType type, RawJson data, long createdAt) {
        this(seq, turn, type, data, createdAt, type == EventType.MESSAGE);
    }

    /** Whether it is published, but not in the log. */
    public boolean isTransient() {
        return seq == 0;
    }

    public boolean belongsTo(TurnId id) {
        return id.equals(turn);
    }

    /** Returns the frames that are sent before it. */
    public List<DerivedFrames.Frame> derivedFrames() {
        return mayHaveDerivedFrames ? DerivedFrames.of(data) : List.of();
    }
}
