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
 * One message as it stands in the file. A text that the line lacks is empty: {@code to} for
 * everybody, {@code signal} for none, {@code id} where another program wrote none.
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

    /** Empty where another program wrote a type that we do not know. */
    public Optional<MessageType> knownType() {
        return MessageType.of(type);
    }

    public Optional<Signal> knownSignal() {
        return Signal.of(signal);
    }

    /** Whether this peer is to read it. Nobody gets back what they said to everybody. */
    public boolean isFor(String peer) {
        return !from.equals(peer) && (to.isEmpty() || to.equals(peer));
    }

    /** The id that the content gives, whatever the line says. */
    public String computedId() {
        return idOf(type, from, to, content);
    }

    /** Lower-case hex SHA-256 of the four texts in UTF-8, with nothing in between. */
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

    /** Whether both say the same, at the same point of the loop; when and where aside. */
    boolean saysSameAs(Message other) {
        return type.equals(other.type)
                && from.equals(other.from)
                && to.equals(other.to)
                && content.equals(other.content)
                && signal.equals(other.signal)
                && iteration == other.iteration
                && Objects.equals(metadata, other.metadata);
    }
}
