package dev.ash.server.gateway;

import dev.ash.protocol.SessionId;
import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;
import dev.ash.server.event.EventType;
import dev.ash.server.event.LoggedEvent;
import dev.ash.server.event.SessionEvents;
import java.util.Optional;

/**
 * The failure or answer of a turn, read from its last events.
 *
 * @param answer the last text of the assistant; empty if there is none
 */
record TurnOutcome(Optional<String> failure, String answer) {
    /** The result and the last text are among the last events of a turn. */
    private static final int MAX_EVENTS = 20;

    static TurnOutcome of(SessionEvents events, SessionId session, LoggedEvent done) {
        var found = new TurnOutcome[] {new TurnOutcome(Optional.empty(), "")};
        try {
            events.readWithoutWaiting(
                    session,
                    Math.max(0, done.seq() - MAX_EVENTS),
                    MAX_EVENTS,
                    event -> {
                        if (event.type() == EventType.MESSAGE && isSameTurn(event, done)) {
                            found[0] = found[0].after(event);
                        }
                        return event.seq() < done.seq();
                    });
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // the gateway is closing
        }
        return found[0];
    }

    private static boolean isSameTurn(LoggedEvent event, LoggedEvent done) {
        var turn = done.turn();
        return turn != null && event.belongsTo(turn);
    }

    private TurnOutcome after(LoggedEvent event) {
        try {
            var message = JsonObject.parse(event.data());
            return switch (message.string("type").orElse("")) {
                case "assistant" -> new TurnOutcome(failure, text(message).orElse(answer));
                case "result" -> new TurnOutcome(ResultTexts.failure(message), answer);
                default -> this;
            };
        } catch (MalformedJsonException e) {
            return this; // engines may change the format of their messages
        }
    }

    private static Optional<String> text(JsonObject message) throws MalformedJsonException {
        var content = message.object("message").flatMap(inner -> inner.raw("content"));
        if (content.isEmpty()) {
            return Optional.empty();
        }
        var plain = JsonObject.text(content.get());
        return plain.isPresent() ? plain : lastText(content.get());
    }

    private static Optional<String> lastText(RawJson blocks) throws MalformedJsonException {
        var last = Optional.<String>empty();
        for (var element : JsonObject.elements(blocks)) {
            var text = JsonObject.parse(element).string("text").filter(each -> !each.isBlank());
            last = text.isPresent() ? text : last;
        }
        return last;
    }
}
