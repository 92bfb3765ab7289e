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

/** The {@code Idempotency-Key} of a request, and what tells that request from others. */
public record IdempotencyKey(String key, String bodyHash) {
    private static final Pattern KEY = Pattern.compile("[\\x21-\\x7e]{1,255}");

    /** {@code about} is what the request is for beyond its body, such as the session. */
    public static Optional<IdempotencyKey> of(Exchange exchange, String about) {
        return exchange.header("Idempotency-Key")
                .map(key -> new IdempotencyKey(checked(key), hash(about, exchange.bodyBytes())));
    }

    /** Of a device, whose keys are no other client's. */
    public static IdempotencyKey ofDevice(String key, String about, byte[] body) {
        return new IdempotencyKey("device " + key, hash(about, body)); // no header has a space
    }

    /** Of a pair's run, likewise. */
    public static IdempotencyKey ofPair(String key, String about, byte[] body) {
        return new IdempotencyKey("pair " + key, hash(about, body));
    }

    /** The key came before, with another request. */
    public static ApiException mismatch() {
        return new ApiException(
                ErrorCode.IDEMPOTENCY_MISMATCH,
                "This Idempotency-Key came with another request before; use a new key for every"
                        + " new request");
    }

    private static String checked(String key) {
        if (!KEY.matcher(key).matches()) {
            throw ApiException.invalid(
                    "Idempotency-Key", "must be 1 to 255 visible ASCII characters");
        }
        return key;
    }

    private static String hash(String about, byte[] body) {
        try {
            var digest = MessageDigest.getInstance("SHA-256");
            digest.update(about.getBytes(StandardCharsets.UTF_8));
            digest.update((byte) 0);
            digest.update(body);
            return HexFormat.of().formatHex(digest.digest());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e); // every Java has it
        }
    }
}
