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

/** Reads the final text or error of a turn from its events. */
final class TurnResultReader {
    private static final Duration MAX_WAIT = Duration.ofSeconds(1);

    private final TurnId turn;
    private String text = "";
    private @Nullable String error;

    TurnResultReader(TurnId turn) {
        this.turn = turn;
    }

    /** Reads events until the turn ends; returns whether it ended within the time limit. */
    boolean awaitEnd(EventSubscription subscription, Duration limit) throws InterruptedException {
        long end = System.nanoTime() + limit.toNanos();
        while (true) {
            var left = Duration.ofNanos(end - System.nanoTime());
            if (left.isNegative()) {
                return false;
            }
            var wait = left.compareTo(MAX_WAIT) < 0 ? left : MAX_WAIT;
            for (var event : subscription.nextBatch(wait)) {
                if (event.belongsTo(turn) && process(event)) {
                    return true;
                }
            }
        }
    }

    /** Processes an event; returns whether it ends the turn. */
    private boolean process(LoggedEvent event) {
        switch (event.type()) {
            case MESSAGE -> readMessage(event);
            case ERROR -> error = errorMessage(event);
            default -> {}
        }
        return event.type() == EventType.DONE;
    }

    private void readMessage(LoggedEvent event) {
        if (event.isTransient()) {
            return;
        }
        var message = EngineMessage.read(event.data());
        if (message.isPresent()) {
            switch (message.get().type()) {
                case "assistant" -> texts(event).ifPresent(newText -> text = newText);
                case "result" -> readResult(event);
                default -> {}
            }
        }
    }

    private void readResult(LoggedEvent event) {
        try {
            var result = JsonObject.parse(event.data());
            var resultText = result.string("result").orElse("");
            if (result.isTrue("is_error")) {
                error = resultText.isBlank() ? "the turn failed" : resultText;
            } else if (!resultText.isBlank()) {
                text = resultText;
            }
        } catch (MalformedJsonException e) {
            // The previous text remains.
        }
    }

    /** Returns the text of a message; empty for one that only calls a tool, for example. */
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

    private static String errorMessage(LoggedEvent event) {
        try {
            return JsonObject.parse(event.data()).string("error").orElse("the turn failed");
        } catch (MalformedJsonException e) {
            return "the turn failed";
        }
    }

    String requireText(PeerName peer) throws PeerFailedException {
        if (error != null) {
            throw new PeerFailedException(Kind.TRANSIENT, "%s failed: %s".formatted(peer, error));
        }
        return text;
    }

    String partialText() {
        return text;
    }
}
