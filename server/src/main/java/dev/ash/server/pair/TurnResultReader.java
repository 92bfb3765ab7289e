package dev.ash.server.pair;

import dev.ash.pair.PeerName;
import dev.ash.pair.loop.PeerFailedException;
import dev.ash.pair.loop.PeerFailedException.Kind;
import dev.ash.protocol.TurnId;
import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.server.event.EngineMessage;
import dev.ash.server.event.EventSubscription;
import dev.ash.server.event.EventType;
import dev.ash.server.event.LoggedEvent;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What an engine said at the end of one turn, and how that turn ended. */
final class TurnResultReader {
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(1);

    private final TurnId turn;
    private String said = "";
    private @Nullable String error;

    TurnResultReader(TurnId turn) {
        this.turn = turn;
    }

    /** Whether the turn ended within this time. */
    boolean follow(EventSubscription subscription, Duration limit) throws InterruptedException {
        long end = System.nanoTime() + limit.toNanos();
        while (true) {
            var left = Duration.ofNanos(end - System.nanoTime());
            if (left.isNegative()) {
                return false;
            }
            var wait = left.compareTo(LONGEST_WAIT) < 0 ? left : LONGEST_WAIT;
            for (var event : subscription.nextBatch(wait)) {
                if (event.belongsTo(turn) && isEnd(event)) {
                    return true;
                }
            }
        }
    }

    private boolean isEnd(LoggedEvent event) {
        switch (event.type()) {
            case MESSAGE -> message(event);
            case ERROR -> error = sentence(event);
            default -> {}
        }
        return event.type() == EventType.DONE;
    }

    private void message(LoggedEvent event) {
        if (event.isTransient()) {
            return;
        }
        var message = EngineMessage.read(event.data());
        if (message.isPresent()) {
            switch (message.get().type()) {
                case "assistant" -> texts(event).ifPresent(text -> said = text);
                case "result" -> result(event);
                default -> {}
            }
        }
    }

    private void result(LoggedEvent event) {
        try {
            var result = JsonObject.parse(event.data());
            var text = result.string("result").orElse("");
            if (result.isTrue("is_error")) {
                error = text.isBlank() ? "its turn failed" : text;
            } else if (!text.isBlank()) {
                said = text;
            }
        } catch (MalformedJsonException e) {
            // What it said before stands.
        }
    }

    /** Empty where there is no text in it, such as when it only calls a tool. */
    private static Optional<String> texts(LoggedEvent event) {
        try {
            var message = JsonObject.parse(event.data()).object("message");
            var content = message.flatMap(m -> m.raw("content"));
            if (content.isEmpty()) {
                return Optional.empty();
            }
            var texts = new StringBuilder();
            for (var block : JsonObject.elements(content.get())) {
                JsonObject.parse(block).string("text").ifPresent(texts::append);
            }
            return texts.isEmpty() ? Optional.empty() : Optional.of(texts.toString());
        } catch (MalformedJsonException e) {
            return Optional.empty();
        }
    }

    private static String sentence(LoggedEvent event) {
        try {
            return JsonObject.parse(event.data()).string("error").orElse("its turn failed");
        } catch (MalformedJsonException e) {
            return "its turn failed";
        }
    }

    String text(PeerName peer) throws PeerFailedException {
        if (error != null) {
            throw new PeerFailedException(Kind.PASSING, "%s failed: %s".formatted(peer, error));
        }
        return said;
    }

    String soFar() {
        return said;
    }
}
