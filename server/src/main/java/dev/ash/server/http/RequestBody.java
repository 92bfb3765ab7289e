package dev.ash.server.http;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.server.memory.ByteBudget;
import dev.ash.server.memory.MemoryBudgets;
import dev.ash.server.processor.ProcessorShares;
import java.io.IOException;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.TimeoutException;
import org.eclipse.jetty.http.HttpException;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Request;
import org.jspecify.annotations.Nullable;

/** Reads the body of a request within its size limit and memory budget, or discards it. */
final class RequestBody {
    private static final long MAX_DISCARDED_BYTES = 64L * 1024 * 1024;

    /** Limits the JSON of an upload without its long strings. */
    private static final int MAX_REST = 8 * 1024 * 1024;

    private static final long MAX_DISCARD_NANOS = 5_000_000_000L;

    private final Request request;
    private final ByteBudget budget;
    private byte @Nullable [] bytes;
    private ByteBudget.@Nullable Lease lease;
    private boolean isRead;

    RequestBody(Request request, ByteBudget budget) {
        this.request = request;
        this.budget = budget;
    }

    /** Checks the declared length before reading. */
    void requireAtMost(int limit) {
        if (request.getLength() > limit) {
            throw tooLarge(limit);
        }
    }

    /** Reads the body, charged to the owner's budget until {@link #release}. */
    byte[] read(String owner, int limit) {
        if (isRead && bytes == null) {
            throw new IllegalStateException("The body was released");
        }
        if (bytes == null) {
            bytes = readAll(owner, limit);
            isRead = true;
        }
        return bytes;
    }

    void release() {
        bytes = null;
        if (lease != null) {
            lease.close();
        }
    }

    byte[] readJson(String owner, int limit) {
        return json(read(owner, limit));
    }

    /** Writes long strings to the spool and returns the remaining JSON. */
    byte[] spoolJson(String owner, int limit, Spool spool, Set<String> paths) {
        requireAtMost(limit);
        long length = request.getLength();
        var uploads = MemoryBudgets.ofProcess().uploads();
        try {
            long needed = length < 0 ? limit : length;
            spool.hold(
                    ProcessorShares.await(
                            () -> uploads.acquire(owner, needed, MemoryBudgets.BODY_WAIT)));
            var splitter = new BodySplitter(paths, spool, MAX_REST, () -> acquire(owner, MAX_REST));
            var rest =
                    splitter.split(
                            Content.Source.asInputStream(request),
                            limit,
                            () -> {
                                throw tooLarge(limit);
                            });
            isRead = true;
            if (lease != null) {
                lease.shrinkTo((long) rest.length * MemoryBudgets.BODY_COPIES);
            }
            return json(rest);
        } catch (SpoolException e) {
            throw e.toApiException();
        } catch (IOException | HttpException.RuntimeException e) {
            throw incomplete(e);
        } catch (InterruptedException e) {
            throw shuttingDown();
        }
    }

    private byte[] json(byte[] read) {
        if (read.length == 0) {
            return new byte[] {'{', '}'}; // clients also send the JSON content type without a body
        }
        var type = request.getHeaders().get(HttpHeader.CONTENT_TYPE);
        if (type != null && !isJson(type)) {
            throw ApiException.invalid(
                    "Content-Type", "must be application/json in UTF-8, was " + type);
        }
        return read;
    }

    boolean hasUnread() {
        return !isRead
                && (request.getLength() > 0
                        || request.getHeaders().contains(HttpHeader.TRANSFER_ENCODING));
    }

    /**
     * Reads and discards the rest of a rejected request: closing the connection immediately would
     * reset it, and the client might not receive the response.
     */
    void discard() throws IOException {
        if (request.getHeaders().contains(HttpHeader.EXPECT)) {
            return; // the client sends nothing before a 100 response
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

    private byte[] readAll(String owner, int limit) {
        requireAtMost(limit);
        try {
            var in = Content.Source.asInputStream(request);
            int length = (int) request.getLength(); // -1 for chunked bodies
            if (length >= 0) {
                acquire(owner, length);
                return in.readNBytes(length);
            }
            var begin = in.readNBytes(MemoryBudgets.SMALL_BYTES + 1);
            if (begin.length <= MemoryBudgets.SMALL_BYTES) {
                return begin;
            }
            acquire(owner, limit);
            var all = join(begin, in.readNBytes(limit + 1 - begin.length));
            if (all.length > limit) {
                throw tooLarge(limit);
            }
            acquired().shrinkTo((long) all.length * MemoryBudgets.BODY_COPIES);
            return all;
        } catch (IOException | HttpException.RuntimeException e) {
            throw incomplete(e);
        }
    }

    /** Small bodies do not use the budget, so that large ones cannot delay them. */
    private void acquire(String owner, int length) {
        if (length <= MemoryBudgets.SMALL_BYTES) {
            return;
        }
        try {
            long needed = (long) length * MemoryBudgets.BODY_COPIES;
            lease =
                    ProcessorShares.await(
                            () -> budget.acquire(owner, needed, MemoryBudgets.BODY_WAIT));
        } catch (InterruptedException e) {
            throw shuttingDown();
        }
    }

    private static ApiException shuttingDown() {
        Thread.currentThread().interrupt();
        return new ApiException(
                ErrorCode.SHUTTING_DOWN, "The server is shutting down; try again in a moment");
    }

    private ByteBudget.Lease acquired() {
        return java.util.Objects.requireNonNull(lease);
    }

    private static byte[] join(byte[] begin, byte[] rest) {
        var all = java.util.Arrays.copyOf(begin, begin.length + rest.length);
        System.arraycopy(rest, 0, all, begin.length, rest.length);
        return all;
    }

    private static boolean isJson(String contentType) {
        var parts = contentType.toLowerCase(Locale.ROOT).split(";", 2);
        var type = parts[0].strip();
        var charset = parts.length < 2 ? "" : parts[1].replaceAll("[\\s\"]", "");
        return (type.equals("application/json") || type.endsWith("+json"))
                && (!charset.contains("charset=") || charset.contains("charset=utf-8"));
    }

    private static ApiException incomplete(Throwable failure) {
        var message = "The body is incomplete or malformed";
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof TimeoutException) {
                message = "Timed out while reading the body";
            }
        }
        return new ApiException(ErrorCode.VALIDATION_FAILED, message, failure);
    }

    private static ApiException tooLarge(int limit) {
        return new ApiException(
                ErrorCode.PAYLOAD_TOO_LARGE,
                "The body exceeds the limit of %s for this endpoint".formatted(size(limit)));
    }

    private static String size(int bytes) {
        int mebibyte = 1024 * 1024;
        return bytes >= mebibyte && bytes % mebibyte == 0
                ? bytes / mebibyte + " MiB"
                : bytes + " bytes";
    }
}
