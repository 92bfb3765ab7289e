package dev.ash.pair.mailbox;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.json.RawJson;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A message that is not in the mailbox yet. An empty {@code to} addresses all peers. */
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
                            ? "must be DONE, PASS or FAIL for a message of type signal"
                            : "must be absent unless the type is signal");
        }
        if (clientId != null && (clientId.isEmpty() || clientId.length() > MAX_CLIENT_ID)) {
            throw ApiException.invalid(
                    "client_id", "must have 1 to " + MAX_CLIENT_ID + " characters");
        }
    }

    public static Draft of(MessageType type, String from, String to, String content) {
        return new Draft(type, from, to, content, null, 0, null, null);
    }

    public static Draft signal(Signal signal, String from, String to, String content) {
        return new Draft(MessageType.SIGNAL, from, to, content, signal, 0, null, null);
    }

    /** Sets the round of the loop. */
    public Draft inIteration(int number) {
        return new Draft(type, from, to, content, signal, number, metadata, clientId);
    }

    /**
     * Sets the round and prefixes the text with it: {@code Round 2, plan: …}. Ids are hashes of the
     * text, so equal texts of two rounds would otherwise have the same id.
     */
    public Draft inRound(int round, String... details) {
        if (round == 0) {
            return inIteration(0);
        }
        var text = roundLabel(round, details) + content;
        return new Draft(type, from, to, text, signal, round, metadata, clientId);
    }

    public static String roundLabel(int round, String... details) {
        var parts = Stream.concat(Stream.of("Round " + round), Stream.of(details));
        return parts.collect(Collectors.joining(", ", "", ": "));
    }

    /** Attaches a JSON object. */
    public Draft withMetadata(RawJson object) {
        return new Draft(type, from, to, content, signal, iteration, object.onOneLine(), clientId);
    }

    /** Sets an idempotency key of the sender: messages with the same key are stored once. */
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
