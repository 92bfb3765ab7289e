package dev.ash.server.event;

import dev.ash.protocol.SessionId;
import dev.ash.protocol.TurnId;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.RawJson;
import org.jspecify.annotations.Nullable;

/**
 * An event to append to the log. The last three components are computed here to keep the writer's
 * thread, which all sessions share, from parsing the data.
 *
 * @param position its position in the bridge's events, if a bridge sent it
 * @param isMessageRow whether it is a row of {@code GET …/messages}
 * @param eventRows the number of its rows of {@code GET …/events}
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
            @Nullable BridgePosition position) {
        if (type == EventType.MESSAGE) {
            var message = EngineMessage.read(data);
            if (message.isPresent()) {
                return message(session, turn, message.get(), position);
            }
        }
        boolean isMessageRow = type == EventType.PROMPT;
        return new NewEvent(
                session, turn, type, data, position, isMessageRow, type.eventRows(), false);
    }

    /** For a message that is already parsed. */
    public static NewEvent message(
            SessionId session,
            @Nullable TurnId turn,
            EngineMessage message,
            @Nullable BridgePosition position) {
        return new NewEvent(
                session,
                turn,
                EventType.MESSAGE,
                message.data(),
                position,
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

    /** {@code details} contains further members of the data, such as the path of a resume. */
    public static NewEvent lifecycle(SessionId session, String action, JsonWriter details) {
        return of(session, null, EventType.LIFECYCLE, details.put("action", action).end(), null);
    }
}
