package dev.ash.pair.mailbox;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.json.RawJson;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A message before it is in the mailbox. An empty {@code to} is everybody. */
public record Draft(
        MessageType type,
        String from,
        String to,
        String content,
        @Nullable Signal signal,
        int iteration,
        @Nullable RawJson metadata,
        @Nullable String clientId) {
    private static final int MAX_CLIENT_ID = 200;

    public Draft {
        if (from.isEmpty()) {
            throw ApiException.invalid("from", "must name the sender");
        }
        if ((type == MessageType.SIGNAL) != (signal != null)) {
            throw ApiException.invalid(
                    "signal",
                    signal == null
                            ? "must be DONE, PASS or FAIL on a message of type signal"
                            : "must be left out unless the type is signal");
        }
        if (clientId != null && (clientId.isEmpty() || clientId.length() > MAX_CLIENT_ID)) {
            throw ApiException.invalid("client_id", "must have 1 to " + MAX_CLIENT_ID + " signs");
        }
    }

    public static Draft of(MessageType type, String from, String to, String content) {
        return new Draft(type, from, to, content, null, 0, null, null);
    }

    public static Draft signal(Signal signal, String from, String to, String content) {
        return new Draft(MessageType.SIGNAL, from, to, content, signal, 0, null, null);
    }

    /** The round of the loop that it belongs to. */
    public Draft inIteration(int number) {
        return new Draft(type, from, to, content, signal, number, metadata, clientId);
    }

    /**
     * Names the round in the text, too: {@code Round 2, plan: …}. An id is a hash of the text
     * without the round, so the same words in two rounds would share one.
     */
    public Draft inRound(int round, String... details) {
        if (round == 0) {
            return inIteration(0);
        }
        var text = roundLabel(round, details) + content;
        return new Draft(type, from, to, text, signal, round, metadata, clientId);
    }

    public static String roundLabel(int round, String... details) {
        var words = Stream.concat(Stream.of("Round " + round), Stream.of(details));
        return words.collect(Collectors.joining(", ", "", ": "));
    }

    /** A JSON object that travels with it. */
    public Draft withMetadata(RawJson object) {
        return new Draft(type, from, to, content, signal, iteration, object.onOneLine(), clientId);
    }

    /** The sender's own name for it: sent again under the same one, it is stored once. */
    public Draft withClientId(String id) {
        return new Draft(type, from, to, content, signal, iteration, metadata, id);
    }

    Message toMessage(int runId, String timestamp) {
        return new Message(
                Message.idOf(type.wire(), from, to, content),
                runId,
                type.wire(),
                from,
                to,
                content,
                signal == null ? "" : signal.name(),
                timestamp,
                iteration,
                metadata,
                clientId);
    }
}
