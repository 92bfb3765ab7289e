package dev.ash.server.egress.http;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** One request of a client and its response. Streams both between client and upstream host. */
public final class ProxyExchange {
    private static final Duration UPLOAD_GRACE = Duration.ofSeconds(1);

    /** The interval of checks whether the client of a waiting request has disconnected. */
    private static final Duration CLIENT_POLL = Duration.ofMillis(200);

    /** A response normally follows the end of the request, whose last write may just return. */
    private static final Duration REUSE_GRACE = Duration.ofMillis(50);

    /**
     * Whether the upstream connection is closed after the response or can serve another request.
     */
    public enum Upstream {
        CLOSED,
        KEPT
    }

    /** Counts the bytes of a body as they arrive. */
    @FunctionalInterface
    public interface ByteCounter {
        void add(int count) throws ProxyException;
    }

    private final TimedConnection client;
    private final RequestHead request;
    private final EgressLimits limits;
    private Framing body;
    private byte @Nullable [] receivedBody;
    private boolean bodyReceived;
    private boolean continueSent;
    private @Nullable Upload upload;

    private ProxyExchange(
            TimedConnection client, RequestHead request, Framing body, EgressLimits limits) {
        this.client = client;
        this.request = request;
        this.body = body;
        this.limits = limits;
    }

    /** Reads the head of the client's next request. */
    public static ProxyExchange read(TimedConnection client, EgressLimits limits)
            throws IOException {
        var request = RequestHead.read(client.input());
        return new ProxyExchange(client, request, Framing.of(request), limits);
    }

    public RequestHead request() {
        return request;
    }

    public boolean hasBody() {
        return !(body instanceof Framing.None);
    }

    /** Reads at most {@code maxBytes} of the body. */
    public byte[] readBody(int maxBytes) throws IOException {
        return body.open(client.input()).readNBytes(maxBytes);
    }

    /** Reads the whole body into memory; {@link #forward} then sends it with its length. */
    public byte[] receive(int maxBytes, ByteCounter counter) throws IOException, ProxyException {
        if (body instanceof Framing.Length(var length) && length > maxBytes) {
            throw ProxyException.tooLarge(maxBytes);
        }
        sendContinueIfExpected();
        long expected = body instanceof Framing.Length(var length) ? length : BodyOutput.PIECE;
        var bytes = BodyInput.readAll(body.open(client.input()), expected, maxBytes, counter);
        receivedBody = bytes;
        bodyReceived = true;
        body = new Framing.Length(bytes.length);
        return bytes;
    }

    /** Sends a response of the server to the client. */
    public void respond(String head, byte[] content) throws IOException {
        client.output().write(HttpInput.bytes(head));
        client.output().write(content);
    }

    /**
     * Waits before the request is forwarded again. Returns false as soon as the client has
     * disconnected, or has sent more data.
     */
    public boolean waitWithClient(Duration time) {
        long deadline = System.nanoTime() + time.toNanos();
        try {
            while (client.isQuiet()) {
                long left = deadline - System.nanoTime();
                if (left <= 0) {
                    return true;
                }
                Thread.sleep(Duration.ofNanos(Math.min(left, CLIENT_POLL.toNanos())));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return false;
    }

    /** Checks the first bytes that a client sends through a tunnel. */
    @FunctionalInterface
    public interface TunnelCheck {
        void check(byte[] firstBytes) throws BadMessageException;
    }

    /** Copies bytes in both directions until the connections end; they cannot be reused. */
    public void tunnel(TimedConnection upstream, TunnelCheck check) throws IOException {
        client.closeWhenIdle(limits.idle());
        client.output().write(HttpInput.bytes("HTTP/1.1 200 Connection established\r\n\r\n"));
        new Tunnel(client, upstream, check).run();
    }

    private void sendContinueIfExpected() throws IOException {
        if (request.expectsContinue() && !continueSent) {
            continueSent = true;
            client.output().write(HttpInput.bytes("HTTP/1.1 100 Continue\r\n\r\n"));
        }
    }

    /**
     * Sends the request to {@code upstream} and its response to the client. Returns whether the
     * client's connection can be reused. A kept upstream connection can be reused if {@link
     * TimedConnection#isReusable}.
     *
     * @throws StaleConnectionException if the host closed a kept connection before it responded;
     *     the request can be forwarded again on another one
     * @throws WithheldResponseException if the filter withholds the response; the request can be
     *     forwarded again if its body was received
     * @throws ProxyException if the client has received no part of a response
     * @throws IOException if the response was truncated; the client's connection must be closed
     */
    public boolean forward(
            TimedConnection upstream,
            Upstream use,
            String target,
            Headers headers,
            ResponseObserver observer,
            ResponseFilter filter)
            throws IOException, ProxyException {
        boolean isRepeatable = false;
        try {
            return exchange(upstream, use, target, headers, observer, filter);
        } catch (StaleConnectionException | WithheldResponseException e) {
            isRepeatable = true;
            throw e;
        } finally {
            if (!isRepeatable) {
                observer.onEnd();
            }
        }
    }

    private boolean exchange(
            TimedConnection upstream,
            Upstream use,
            String target,
            Headers headers,
            ResponseObserver observer,
            ResponseFilter filter)
            throws IOException, ProxyException {
        sendContinueIfExpected();
        sendHead(
                upstream,
                target,
                use == Upstream.KEPT ? headers : headers.with("Connection", "close"),
                observer);
        var upload = Upload.start(body, bodySource(), upstream);
        this.upload = upload;
        var response = readResponse(upstream, upload, observer);
        if (filter.withholds(response)) {
            throw new WithheldResponseException(response.status());
        }
        receivedBody = null; // not retained while the response streams
        var incoming = framing(response);
        // HTTP/1.0 does not support chunks: the body ends with the connection.
        var outgoing =
                incoming instanceof Framing.Chunked && !request.http11()
                        ? new Framing.UntilClose()
                        : incoming;
        observer.onHead(response);
        boolean keepsAlive = request.keepsAlive() && !(outgoing instanceof Framing.UntilClose);
        var content = incoming.open(upstream.input());
        try {
            client.output().write(response.encode(request.method(), outgoing, keepsAlive));
        } catch (IOException e) {
            drain(upstream, content, observer);
            throw e;
        }
        copy(upstream, content, outgoing.open(client.output()), observer);
        if (use == Upstream.KEPT && isReusable(response, incoming, upload)) {
            upstream.markReusable();
        } else {
            upstream.close();
        }
        // If the body was not read before, its rest precedes the client's next request.
        if (!bodyReceived && !upload.isFinishedWithin(UPLOAD_GRACE)) {
            throw new IOException("the response ended before its request");
        }
        return keepsAlive;
    }

    /**
     * A response to HEAD has no body, but faulty hosts send one, which the next request would get.
     */
    private boolean isReusable(ResponseHead response, Framing framing, Upload upload) {
        return response.keepsAlive()
                && !(framing instanceof Framing.UntilClose)
                && !request.method().equals("HEAD")
                && upload.isCompleteWithin(REUSE_GRACE);
    }

    /**
     * Whether the request can be sent again: the host may close a kept connection at any time, also
     * while the request is on its way. It then has sent no byte of a response.
     */
    private boolean isStale(TimedConnection upstream) {
        return upstream.isReused()
                && !upstream.hasReceivedSinceReuse()
                && !upstream.isTimedOut()
                && (receivedBody != null || body instanceof Framing.None);
    }

    private InputStream bodySource() {
        var bytes = receivedBody;
        return bytes == null ? body.open(client.input()) : new ByteArrayInputStream(bytes);
    }

    private void copy(
            TimedConnection upstream, InputStream in, BodyOutput out, ResponseObserver observer)
            throws IOException {
        var piece = new byte[BodyOutput.PIECE];
        try {
            for (int count = in.read(piece); count >= 0; count = in.read(piece)) {
                observer.onBody(piece, count);
                try {
                    writeToClient(out, piece, count, observer);
                } catch (IOException e) {
                    drain(upstream, in, observer);
                    throw e;
                }
            }
        } catch (BadMessageException e) {
            // Not an error of the client, which must not receive an error message within the body.
            throw new IOException("invalid response: " + e.getMessage(), e);
        }
        observer.onEnd();
        out.finish();
    }

    /** Limits the time of a write: a stalled client must not block reading a metered response. */
    private void writeToClient(BodyOutput out, byte[] piece, int count, ResponseObserver observer)
            throws IOException {
        if (observer.needsMore()) {
            client.closeWithin(limits.idle().dividedBy(2));
            out.write(piece, count);
            client.closeWhenIdle(limits.clientIdle());
        } else {
            out.write(piece, count);
        }
    }

    /** Reads the rest for the observer: the model API charges for it without a client, too. */
    private void drain(TimedConnection upstream, InputStream in, ResponseObserver observer) {
        upstream.closeWithin(limits.drain());
        var piece = new byte[BodyOutput.PIECE];
        int remaining = EgressLimits.MAX_DRAINED_BYTES;
        try {
            while (observer.needsMore() && remaining > 0) {
                int count = in.read(piece);
                if (count < 0) {
                    return;
                }
                observer.onBody(piece, count);
                remaining -= count;
            }
        } catch (IOException e) {
            // The observer uses the part that it has received.
        }
    }

    /** Returns the framing of the part of the body that is not read yet, for an error response. */
    Framing unreadBody() {
        if (bodyReceived) {
            return new Framing.None();
        }
        if (upload == null) {
            return body;
        }
        return upload.isFinishedWithin(UPLOAD_GRACE)
                ? new Framing.None()
                : new Framing.UntilClose();
    }

    private void sendHead(
            TimedConnection upstream, String target, Headers headers, ResponseObserver observer)
            throws ProxyException {
        var text = new StringBuilder(request.method() + " " + target + " HTTP/1.1\r\n");
        body.declareIn(headers).appendTo(text);
        try {
            upstream.output().write(HttpInput.bytes(text.append("\r\n").toString()));
        } catch (IOException e) {
            if (isStale(upstream)) {
                throw new StaleConnectionException();
            }
            observer.onNotSent();
            throw ProxyException.noResponse(upstream.isTimedOut());
        }
    }

    private ResponseHead readResponse(
            TimedConnection upstream, Upload upload, ResponseObserver observer)
            throws IOException, ProxyException {
        try {
            return ResponseHead.read(upstream.input());
        } catch (IOException e) {
            if (isStale(upstream)) {
                throw new StaleConnectionException();
            }
            if (upload.isIncompleteWithin(UPLOAD_GRACE)) {
                observer.onNotSent();
            }
            var failure = upload.clientFailure();
            if (failure != null) {
                throw failure;
            }
            throw ProxyException.noResponse(upstream.isTimedOut());
        }
    }

    private Framing framing(ResponseHead response) throws ProxyException {
        try {
            return Framing.of(request.method(), response);
        } catch (BadMessageException e) {
            throw new ProxyException(502, "Ash: invalid response from the host: " + e.getMessage());
        }
    }
}
