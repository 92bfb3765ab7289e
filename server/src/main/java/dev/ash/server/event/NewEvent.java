package dev.ash.server.event;

import dev.ash.protocol.SessionId;
import dev.ash.protocol.TurnId;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.RawJson;
import org.jspecify.annotations.Nullable;

/**
 * An event that has no number yet. {@code place} is the bridge's own, for what came from one; the
 * last three say how many numbers it will take in the views and whether watchers have anything to
 * derive from it, worked out here because the writer's thread is everyone's.
 */
public record NewEvent(
        SessionId session,
        @Nullable TurnId turn,
        EventType type,
        RawJson data,
        @Nullable BridgePosition position,
        boolean isMessageRow,
        int eventRows,
        boolean mayHaveDerivedFrames) {

    /** The {@code n}th event that this launch of a bridge sent. */
    public record BridgePosition(String bridgeId, long n) {}

    public static NewEvent of(
            SessionId session,
            @Nullable TurnId turn,
            EventType type,
            RawJson data,
            @Nullable BridgePosition place) {
        if (type == EventType.MESSAGE) {
            var message = EngineMessage.read(data);
            if (message.isPresent()) {
                return message(session, turn, message.get(), place);
            }
        }
        boolean isMessageRow = type == EventType.PROMPT;
        return new NewEvent(
                session, turn, type, data, place, isMessageRow, type.eventRows(), false);
    }

    /** For a message that was read already, so that it is not read again. */
    public static NewEvent message(
            SessionId session,
            @Nullable TurnId turn,
            EngineMessage message,
            @Nullable BridgePosition place) {
        return new NewEvent(
                session,
                turn,
                EventType.MESSAGE,
                message.data(),
                place,
                message.isMessageRow(),
                message.eventRows(),
                message.mayHaveDerivedFrames());
    }

    public static NewEvent prompt(SessionId session, TurnId turn, RawJson content) {
        var data = JsonWriter.object().put("type", "user").put("content", content).end();
        return new NewEvent(session, turn, EventType.PROMPT, data, null, true, 0, false);
    }

    public static NewEvent error(SessionId session, TurnId turn, String error) {
        var data = JsonWriter.object().put("error", error).end();
        return of(session, turn, EventType.ERROR, data, null);
    }

    public static NewEvent done(SessionId session, TurnId turn) {
        var data = JsonWriter.object().put("sessionId", session.value()).end();
        return of(session, turn, EventType.DONE, data, null);
    }

    /** {@code more} holds further members of the row's data, such as which path a resume took. */
    public static NewEvent lifecycle(SessionId session, String action, JsonWriter more) {
        return of(session, null, EventType.LIFECYCLE, more.put("action", action).end(), null);
    }
}
