package dev.ash.server.device;

import dev.ash.protocol.SessionId;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/**
 * A {@code message} or {@code session_start} request that a device sent on one of its connections.
 *
 * @param session the session of a message; empty for a request that starts one
 * @param digest equal for requests with the same session, id and content
 */
public record SentRequest(
        String device, String connection, Optional<SessionId> session, String digest) {

    public static SentRequest message(
            String device,
            String connection,
            SessionId session,
            String id,
            String content,
            String attachments) {
        return new SentRequest(
                device,
                connection,
                Optional.of(session),
                digest(List.of("message", session.value(), id, content, attachments)));
    }

    public static SentRequest start(String device, String connection, String id, String payload) {
        return new SentRequest(
                device,
                connection,
                Optional.empty(),
                digest(List.of("session_start", id, payload)));
    }

    /**
     * Includes the length of each part, so that different splits of a text have different digests.
     */
    private static String digest(List<String> parts) {
        try {
            var digest = MessageDigest.getInstance("SHA-256");
            for (var part : parts) {
                var bytes = part.getBytes(StandardCharsets.UTF_8);
                digest.update(ByteBuffer.allocate(Integer.BYTES).putInt(bytes.length).flip());
                digest.update(bytes);
            }
            return HexFormat.of().formatHex(digest.digest());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e); // every Java platform provides SHA-256
        }
    }
}
