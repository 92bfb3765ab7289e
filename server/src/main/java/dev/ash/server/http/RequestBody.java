package dev.ash.server.http;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import java.io.IOException;
import java.util.Locale;
import java.util.concurrent.TimeoutException;
import org.eclipse.jetty.http.HttpException;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Request;
import org.jspecify.annotations.Nullable;

/** The body of a request: bounded, read whole, or thrown away. */
final class RequestBody {
    private static final long MAX_DISCARDED_BYTES = 64L * 1024 * 1024;
    private static final long MAX_DISCARD_NANOS = 5_000_000_000L;

    private final Request request;
    private byte @Nullable [] bytes;

    RequestBody(Request request) {
        this.request = request;
    }

    /** Refuses by the announced length, before a byte is read. */
    void requireAtMost(int limit) {
        if (request.getLength() > limit) {
            throw tooLarge(limit);
        }
    }

    byte[] read(int limit) {
        if (bytes == null) {
            bytes = readAll(limit);
        }
        return bytes;
    }

    byte[] readJson(int limit) {
        var read = read(limit);
        if (read.length == 0) {
            return new byte[] {'{', '}'}; // clients send the JSON content type on bare POSTs too
        }
        var type = request.getHeaders().get(HttpHeader.CONTENT_TYPE);
        if (type != null && !isJson(type)) {
            throw ApiException.invalid(
                    "Content-Type", "must be application/json in UTF-8, was " + type);
        }
        return read;
    }

    boolean hasUnread() {
        return bytes == null
                && (request.getLength() > 0
                        || request.getHeaders().contains(HttpHeader.TRANSFER_ENCODING));
    }

    /**
     * Takes in what a client still sends after its request was refused: closing on it at once would
     * reset the connection, and the client might never see the refusal.
     */
    void discard() throws IOException {
        if (request.getHeaders().contains(HttpHeader.EXPECT)) {
            return; // it waits for our word before it sends anything
        }
        long since = System.nanoTime();
        long count = 0;
        var in = Content.Source.asInputStream(request);
        var scratch = new byte[64 * 1024];
        for (int n = 0; n >= 0; n = in.read(scratch)) {
            count += n;
            if (count > MAX_DISCARDED_BYTES || System.nanoTime() - since > MAX_DISCARD_NANOS) {
                return;
            }
        }
    }

    private byte[] readAll(int limit) {
        requireAtMost(limit);
        try {
            var in = Content.Source.asInputStream(request);
            int length = (int) request.getLength(); // -1 where the body comes in chunks
            var all = in.readNBytes(length >= 0 ? length : limit + 1);
            if (all.length > limit) {
                throw tooLarge(limit);
            }
            return all;
        } catch (IOException | HttpException.RuntimeException e) {
            throw cutOff(e);
        }
    }

    private static boolean isJson(String contentType) {
        var parts = contentType.toLowerCase(Locale.ROOT).split(";", 2);
        var type = parts[0].strip();
        var charset = parts.length < 2 ? "" : parts[1].replaceAll("[\\s\"]", "");
        return (type.equals("application/json") || type.endsWith("+json"))
                && (!charset.contains("charset=") || charset.contains("charset=utf-8"));
    }

    private static ApiException cutOff(Throwable failure) {
        var sentence = "The body ended early or is malformed";
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof TimeoutException) {
                sentence = "The body stopped arriving";
            }
        }
        return new ApiException(ErrorCode.VALIDATION_FAILED, sentence, failure);
    }

    private static ApiException tooLarge(int limit) {
        return new ApiException(
                ErrorCode.PAYLOAD_TOO_LARGE,
                "The body is larger than the %s that this endpoint takes".formatted(size(limit)));
    }

    private static String size(int bytes) {
        int mebibyte = 1024 * 1024;
        return bytes >= mebibyte && bytes % mebibyte == 0
                ? bytes / mebibyte + " MiB"
                : bytes + " bytes";
    }
}
