package dev.ash.server.egress.http;

import java.io.InputStream;
import java.io.OutputStream;
import java.util.regex.Pattern;

/** Determines where a message body ends. */
sealed interface Framing {
    /** The message has no body. */
    record None() implements Framing {}

    /** The body has a declared length. */
    record Length(long bytes) implements Framing {}

    /** The body is sent in chunks. */
    record Chunked() implements Framing {}

    /** The body ends with the connection; responses only. */
    record UntilClose() implements Framing {}

    Pattern DIGITS = Pattern.compile("[0-9]{1,15}");

    static Framing of(RequestHead request) throws BadMessageException {
        var framing = declared(request.headers(), request.http11());
        return framing instanceof UntilClose ? new None() : framing;
    }

    static Framing of(String method, ResponseHead response) throws BadMessageException {
        var framing = declared(response.headers(), true);
        boolean bodiless =
                method.equals("HEAD") || response.status() == 204 || response.status() == 304;
        return bodiless ? new None() : framing;
    }

    /** Rejects two declarations of the length, even if they agree: parsers may use either one. */
    private static Framing declared(Headers headers, boolean supportsChunked)
            throws BadMessageException {
        var lengths = headers.values("content-length");
        var codings = headers.values("transfer-encoding");
        if (lengths.size() + codings.size() > 1) {
            throw new BadMessageException(
                    "more than one Content-Length or Transfer-Encoding header");
        }
        if (!codings.isEmpty()) {
            if (!supportsChunked || !codings.getFirst().equalsIgnoreCase("chunked")) {
                throw new BadMessageException("a Transfer-Encoding other than chunked", 501);
            }
            return new Chunked();
        }
        if (lengths.isEmpty()) {
            return new UntilClose();
        }
        if (!DIGITS.matcher(lengths.getFirst()).matches()) {
            throw new BadMessageException("an invalid Content-Length");
        }
        return new Length(Long.parseLong(lengths.getFirst()));
    }

    default InputStream open(HttpInput in) {
        return switch (this) {
            case None() -> InputStream.nullInputStream();
            case Length(var bytes) -> new BodyInput.Length(in, bytes);
            case Chunked() -> new BodyInput.Chunks(in);
            case UntilClose() -> in;
        };
    }

    default BodyOutput open(OutputStream out) {
        return this instanceof Chunked ? new BodyOutput.Chunks(out) : new BodyOutput.Plain(out);
    }

    /** Adds the header that declares this framing. */
    default Headers declareIn(Headers headers) {
        return switch (this) {
            case None(), UntilClose() -> headers;
            case Length(var bytes) -> headers.with("Content-Length", Long.toString(bytes));
            case Chunked() -> headers.with("Transfer-Encoding", "chunked");
        };
    }
}
