package dev.ash.pair.mailbox;

import dev.ash.protocol.json.RawJson;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A message of the file. Missing texts are empty: an empty {@code to} addresses all peers, an empty
 * {@code signal} means none, and {@code id} is empty if another program wrote none.
 */
public record Message(
        String id,
        int runId,
        String type,
        String from,
        String to,
        String content,
        String signal,
        String timestamp,
        int iteration,
        @Nullable RawJson metadata,
        @Nullable String clientId) {

    /** Returns the type; empty if another program wrote an unknown one. */
    public Optional<MessageType> knownType() {
        return MessageType.of(type);
    }

    public Optional<Signal> knownSignal() {
        return Signal.of(signal);
    }

    /** Returns whether the message is addressed to the peer; broadcasts exclude their sender. */
    public boolean isFor(String peer) {
        return !from.equals(peer) && (to.isEmpty() || to.equals(peer));
    }

    /** Returns the id that the content should have, which may differ from the stored one. */
    public String computedId() {
        return idOf(type, from, to, content);
    }

    /** Returns the lower-case hex SHA-256 of the concatenated texts in UTF-8. */
    public static String idOf(String type, String from, String to, String content) {
        try {
            var digest = MessageDigest.getInstance("SHA-256");
            for (var text : new String[] {type, from, to, content}) {
                digest.update(text.getBytes(StandardCharsets.UTF_8));
            }
            return HexFormat.of().formatHex(digest.digest());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    /** Compares content and round, ignoring timestamp and position. */
    boolean hasSameContent(Message other) {
        return type.equals(other.type)
                && from.equals(other.from)
                && to.equals(other.to)
                && content.equals(other.content)
                && signal.equals(other.signal)
                && iteration == other.iteration
                && Objects.equals(metadata, other.metadata);
    }
}
