package dev.ash.server.session.store;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.server.http.Exchange;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Optional;
import java.util.regex.Pattern;

/** The {@code Idempotency-Key} of a request, with a hash that identifies the request. */
public record IdempotencyKey(String key, String bodyHash) {
    private static final Pattern KEY = Pattern.compile("[\\x21-\\x7e]{1,255}");

    /** {@code operation} identifies the request in addition to its body: method, path, session. */
    public static Optional<IdempotencyKey> of(Exchange exchange, String operation) {
        return exchange.header("Idempotency-Key")
                .map(
                        key ->
                                new IdempotencyKey(
                                        checked(key), hash(operation, exchange.bodyBytes())));
    }

    /** Returns the key of a device's request, in a namespace of its own. */
    public static IdempotencyKey ofDevice(String key, String operation, byte[] body) {
        return new IdempotencyKey(
                "device " + key, hash(operation, body)); // keys of HTTP clients contain no space
    }

    /** Returns the key of a pair's request, in a namespace of its own. */
    public static IdempotencyKey ofPair(String key, String operation, byte[] body) {
        return new IdempotencyKey("pair " + key, hash(operation, body));
    }

    /** Returns the error for a key that was used for a different request. */
    public static ApiException mismatch() {
        return new ApiException(
                ErrorCode.IDEMPOTENCY_MISMATCH,
                "Idempotency-Key was already used for a different request; use a new key for each"
                        + " request");
    }

    private static String checked(String key) {
        if (!KEY.matcher(key).matches()) {
            throw ApiException.invalid(
                    "Idempotency-Key", "must be 1 to 255 visible ASCII characters");
        }
        return key;
    }

    private static String hash(String operation, byte[] body) {
        try {
            var digest = MessageDigest.getInstance("SHA-256");
            digest.update(operation.getBytes(StandardCharsets.UTF_8));
            digest.update((byte) 0);
            digest.update(body);
            return HexFormat.of().formatHex(digest.digest());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e); // every Java platform has it
        }
    }
}
