package dev.ash.server.egress.http;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** One request of a client and its response. Forwards both as they stream. */
public final class ProxyExchange {
    private static final Duration LAST_BYTES = Duration.ofSeconds(1);
    private static final int MAX_FIRST_BYTES = 1024 * 1024;

    /** Counts the bytes of a body as they arrive. */
    @FunctionalInterface
    public interface ByteCounter {
        void add(int count) throws ProxyException;
    }

    private final TimedConnection client;
    private final RequestHead request;
    private final EgressLimits limits;
    private Framing body;
    private byte @Nullable [] received;
    private boolean wasReceived;
    private boolean continued;
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

    /** Reads the whole body from the client; {@link #forward} then sends it with its length. */
    public byte[] receive(int maxBytes, ByteCounter counter) throws IOException, ProxyException {
        if (body instanceof Framing.Length(var announced) && announced > maxBytes) {
            throw tooLarge(maxBytes);
        }
        answerExpectation();
        var bytes = readAll(body.open(client.input()), maxBytes, counter);
        received = bytes;
        wasReceived = true;
        body = new Framing.Length(bytes.length);
        return bytes;
    }

    /** Allocates memory as bytes arrive: an announced length alone costs little. */
    private byte[] readAll(InputStream in, int maxBytes, ByteCounter counter)
            throws IOException, ProxyException {
        long expected = body instanceof Framing.Length(var length) ? length : BodyOutput.PIECE;
        // One byte more, to read the end of the stream without growing.
        var bytes = new byte[(int) Math.min(expected, MAX_FIRST_BYTES) + 1];
        int size = 0;
        for (int count = in.read(bytes, 0, bytes.length);
                count >= 0;
                count = in.read(bytes, size, bytes.length - size)) {
            size += count;
            if (size > maxBytes) {
                throw tooLarge(maxBytes);
            }
            counter.add(count);
            if (size == bytes.length) {
                bytes = Arrays.copyOf(bytes, 2 * size);
            }
        }
        return Arrays.copyOf(bytes, size);
    }

    private static ProxyException tooLarge(int maxBytes) {
        return new ProxyException(
                413,
                "Ash: a request to the model may have at most %d MiB; send less, for example fewer"
                                .formatted(maxBytes >> 20)
                        + " or smaller images");
    }

    /** Sends a response of the server itself. */
    public void respond(String head, byte[] content) throws IOException {
        client.output().write(HttpInput.bytes(head));
        client.output().write(content);
    }

    /** Checks the first bytes that a client sends through a tunnel. */
    @FunctionalInterface
    public interface TunnelCheck {
        void check(byte[] first) throws BadMessageException;
    }

    /** Copies bytes in both directions until the connection ends; it cannot be reused then. */
    public void tunnel(TimedConnection upstream, TunnelCheck check) throws IOException {
        client.closeWhenIdle(limits.idle());
        client.output().write(HttpInput.bytes("HTTP/1.1 200 Connection established\r\n\r\n"));
        new Tunnel(client, upstream, check).run();
    }

    private void answerExpectation() throws IOException {
        if (request.expectsContinue() && !continued) {
            continued = true;
            client.output().write(HttpInput.bytes("HTTP/1.1 100 Continue\r\n\r\n"));
        }
    }

    /**
     * Sends the request to {@code upstream} and its response to the client. Returns whether the
     * client's connection can be reused.
     *
     * @throws ProxyException if the client has received nothing yet
     * @throws IOException if the response broke off, and so must the client's connection
     */
    public boolean forward(
            TimedConnection upstream, String target, Headers headers, ResponseObserver observer)
            throws IOException, ProxyException {
        try {
            return exchange(upstream, target, headers, observer);
        } finally {
            observer.end();
        }
    }

    private boolean exchange(
            TimedConnection upstream, String target, Headers headers, ResponseObserver observer)
            throws IOException, ProxyException {
        answerExpectation();
        send(upstream, target, headers, observer);
        var upload = Upload.start(body, source(), upstream);
        this.upload = upload;
        var response = response(upstream, upload, observer);
        var incoming = framing(response);
        // HTTP/1.0 has no chunks; the end of the connection ends the body.
        var outgoing =
                incoming instanceof Framing.Chunked && !request.http11()
                        ? new Framing.UntilClose()
                        : incoming;
        observer.head(response);
        boolean keepsAlive = request.keepsAlive() && !(outgoing instanceof Framing.UntilClose);
        var content = incoming.open(upstream.input());
        try {
            client.output().write(head(response, outgoing, keepsAlive));
        } catch (IOException e) {
            drain(upstream, content, observer);
            throw e;
        }
        copy(upstream, content, outgoing.open(client.output()), observer);
        upstream.close();
        // A received body leaves nothing to read before the client's next request.
        if (!wasReceived && !upload.finishedWithin(LAST_BYTES)) {
            throw new IOException("the response has ended, and its request has not");
        }
        return keepsAlive;
    }

    private InputStream source() {
        var bytes = received;
        received = null; // not retained while the response streams
        return bytes == null ? body.open(client.input()) : new ByteArrayInputStream(bytes);
    }

    private void copy(
            TimedConnection upstream, InputStream in, BodyOutput out, ResponseObserver observer)
            throws IOException {
        var piece = new byte[BodyOutput.PIECE];
        try {
            for (int count = in.read(piece); count >= 0; count = in.read(piece)) {
                observer.piece(piece, count);
                try {
                    pass(out, piece, count, observer);
                } catch (IOException e) {
                    drain(upstream, in, observer);
                    throw e;
                }
            }
        } catch (BadMessageException e) {
            // The upstream's fault: the client must not receive an error within the body.
            throw new IOException("the host sent " + e.getMessage(), e);
        }
        observer.end();
        out.finish();
    }

    /** A client that stops reading must not keep a metered response from being read. */
    private void pass(BodyOutput out, byte[] piece, int count, ResponseObserver observer)
            throws IOException {
        if (observer.needsMore()) {
            client.closeWithin(limits.idle().dividedBy(2));
            out.write(piece, count);
            client.closeWhenIdle(limits.clientIdle());
        } else {
            out.write(piece, count);
        }
    }

    /** Continues for the observer alone: the model API charges for responses that nobody reads. */
    private void drain(TimedConnection upstream, InputStream in, ResponseObserver observer) {
        upstream.closeWithin(limits.drain());
        var piece = new byte[BodyOutput.PIECE];
        int left = EgressLimits.MAX_DRAINED_BYTES;
        try {
            while (observer.needsMore() && left > 0) {
                int count = in.read(piece);
                if (count < 0) {
                    return;
                }
                observer.piece(piece, count);
                left -= count;
            }
        } catch (IOException e) {
            // The observer ends with what it has seen.
        }
    }

    /** The part of the body that the client has yet to send, if it has received no response. */
    Framing bodyLeft() {
        if (wasReceived) {
            return new Framing.None();
        }
        if (upload == null) {
            return body;
        }
        return upload.finishedWithin(LAST_BYTES) ? new Framing.None() : new Framing.UntilClose();
    }

    private void send(
            TimedConnection upstream, String target, Headers headers, ResponseObserver observer)
            throws ProxyException {
        var text = new StringBuilder(request.method() + " " + target + " HTTP/1.1\r\n");
        body.declareIn(headers).with("Connection", "close").appendTo(text);
        try {
            upstream.output().write(HttpInput.bytes(text.append("\r\n").toString()));
        } catch (IOException e) {
            observer.notSent();
            throw broken(upstream);
        }
    }

    private ResponseHead response(
            TimedConnection upstream, Upload upload, ResponseObserver observer)
            throws IOException, ProxyException {
        try {
            return ResponseHead.read(upstream.input());
        } catch (IOException e) {
            if (upload.incompleteWithin(LAST_BYTES)) {
                observer.notSent();
            }
            var failure = upload.clientFailure();
            if (failure != null) {
                throw failure;
            }
            throw broken(upstream);
        }
    }

    private static ProxyException broken(TimedConnection upstream) {
        return upstream.isTimedOut()
                ? new ProxyException(504, "Ash: the host did not answer in time; try again")
                : new ProxyException(502, "Ash: the host broke off before it answered; try again");
    }

    private Framing framing(ResponseHead response) throws ProxyException {
        try {
            return Framing.of(request.method(), response);
        } catch (BadMessageException e) {
            throw new ProxyException(502, "Ash: the host answered with " + e.getMessage());
        }
    }

    private byte[] head(ResponseHead response, Framing framing, boolean keepsAlive) {
        var text =
                new StringBuilder(
                        "HTTP/1.1 " + response.status() + " " + response.reason() + "\r\n");
        var headers = framing.declareIn(response.headers().endToEnd());
        if (request.method().equals("HEAD")) {
            // The length of the body that a GET would have.
            for (var length : response.headers().values("content-length")) {
                headers = headers.with("Content-Length", length);
            }
        }
        if (!keepsAlive) {
            headers = headers.with("Connection", "close");
        }
        headers.appendTo(text);
        return HttpInput.bytes(text.append("\r\n").toString());
    }
}
