package dev.ash.server.event;

import dev.ash.protocol.TurnId;
import dev.ash.protocol.json.RawJson;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An event as watchers see it. {@code seq} is its number in the log, 0 for a hint that is in none.
 * {@code mayHaveHighlights} is false where it is known that there are none to derive.
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

    public boolean isTransient() {
        return seq == 0;
    }

    public boolean belongsTo(TurnId id) {
        return id.equals(turn);
    }

    /** The frames that are sent before it. */
    public List<DerivedFrames.Frame> derivedFrames() {
        return mayHaveDerivedFrames ? DerivedFrames.of(data) : List.of();
    }
}
