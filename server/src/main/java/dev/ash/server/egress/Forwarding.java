package dev.ash.server.egress;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** One request to a host outside and its answer back, both as they stream. */
final class Forwarding {
    private static final Duration LAST_BYTES = Duration.ofSeconds(1);

    private final Wire client;
    private final RequestHead request;
    private final EgressLimits limits;
    private Framing body;
    private byte @Nullable [] received;
    private boolean wasReceived;
    private boolean continued;
    private @Nullable Upload upload;

    Forwarding(Wire client, RequestHead request, Framing body, EgressLimits limits) {
        this.client = client;
        this.request = request;
        this.body = body;
        this.limits = limits;
    }

    /** Reads the whole body from the client; {@link #run} then sends it with its length. */
    byte[] receive(BodyMemory.Share memory, int maxBytes) throws IOException, Refusal {
        if (body instanceof Framing.Length(var announced) && announced > maxBytes) {
            throw BodyMemory.tooLarge(maxBytes);
        }
        answerExpectation();
        long expected = body instanceof Framing.Length(var length) ? length : BodyOutput.PIECE;
        var bytes = memory.readAll(body.open(client.input()), expected, maxBytes);
        received = bytes;
        wasReceived = true;
        body = new Framing.Length(bytes.length);
        return bytes;
    }

    private void answerExpectation() throws IOException {
        if (request.expectsContinue() && !continued) {
            continued = true;
            client.output().write(HttpInput.bytes("HTTP/1.1 100 Continue\r\n\r\n"));
        }
    }

    /**
     * Whether the client's connection can be used again.
     *
     * @throws Refusal if nothing was answered yet
     * @throws IOException if the answer broke off, and so must the client's connection
     */
    boolean run(Wire upstream, String target, Headers headers, Tap tap)
            throws IOException, Refusal {
        try {
            return exchange(upstream, target, headers, tap);
        } finally {
            tap.end();
        }
    }

    private boolean exchange(Wire upstream, String target, Headers headers, Tap tap)
            throws IOException, Refusal {
        answerExpectation();
        send(upstream, target, headers, tap);
        var upload = Upload.start(body, source(), upstream);
        this.upload = upload;
        var answer = answer(upstream, upload, tap);
        var incoming = framing(answer);
        // A client of HTTP/1.0 knows no chunks; it is told the end by the end.
        var outgoing =
                incoming instanceof Framing.Chunked && !request.http11()
                        ? new Framing.UntilClose()
                        : incoming;
        tap.head(answer);
        boolean keepsAlive = request.keepsAlive() && !(outgoing instanceof Framing.UntilClose);
        var content = incoming.open(upstream.input());
        try {
            client.output().write(head(answer, outgoing, keepsAlive));
        } catch (IOException e) {
            drain(upstream, content, tap);
            throw e;
        }
        copy(upstream, content, outgoing.open(client.output()), tap);
        upstream.close();
        // A body that was received leaves nothing to read before the client's next request.
        if (!wasReceived && !upload.finishedWithin(LAST_BYTES)) {
            throw new IOException("the answer has ended, and its request has not");
        }
        return keepsAlive;
    }

    private InputStream source() {
        var bytes = received;
        received = null; // not kept while the answer streams
        return bytes == null ? body.open(client.input()) : new ByteArrayInputStream(bytes);
    }

    private void copy(Wire upstream, InputStream in, BodyOutput out, Tap tap) throws IOException {
        var piece = new byte[BodyOutput.PIECE];
        try {
            for (int count = in.read(piece); count >= 0; count = in.read(piece)) {
                tap.piece(piece, count);
                try {
                    pass(out, piece, count, tap);
                } catch (IOException e) {
                    drain(upstream, in, tap);
                    throw e;
                }
            }
        } catch (BadMessageException e) {
            // Of the host, not of the client, who would be told so in the middle of the body.
            throw new IOException("the host sent " + e.getMessage(), e);
        }
        tap.end();
        out.finish();
    }

    /** A client that stops reading must not keep a metered answer from being read. */
    private void pass(BodyOutput out, byte[] piece, int count, Tap tap) throws IOException {
        if (tap.needsMore()) {
            client.deadline().within(limits.idle().dividedBy(2));
            out.write(piece, count);
            client.deadline().idle(limits.clientIdle());
        } else {
            out.write(piece, count);
        }
    }

    /** Reads on for the meter alone: the model charges for the answer, whoever reads it. */
    private void drain(Wire upstream, InputStream in, Tap tap) {
        upstream.deadline().within(limits.drain());
        var piece = new byte[BodyOutput.PIECE];
        int left = EgressLimits.MAX_DRAINED_BYTES;
        try {
            while (tap.needsMore() && left > 0) {
                int count = in.read(piece);
                if (count < 0) {
                    return;
                }
                tap.piece(piece, count);
                left -= count;
            }
        } catch (IOException e) {
            // The call is settled with what is known.
        }
    }

    /** What the client has yet to send of its body, if nothing was answered. */
    Framing bodyLeft() {
        if (wasReceived) {
            return new Framing.None();
        }
        if (upload == null) {
            return body;
        }
        return upload.finishedWithin(LAST_BYTES) ? new Framing.None() : new Framing.UntilClose();
    }

    private void send(Wire upstream, String target, Headers headers, Tap tap) throws Refusal {
        var text = new StringBuilder(request.method() + " " + target + " HTTP/1.1\r\n");
        body.declareIn(headers).with("Connection", "close").appendTo(text);
        try {
            upstream.output().write(HttpInput.bytes(text.append("\r\n").toString()));
        } catch (IOException e) {
            tap.notSent();
            throw broken(upstream);
        }
    }

    private ResponseHead answer(Wire upstream, Upload upload, Tap tap) throws IOException, Refusal {
        try {
            return ResponseHead.read(upstream.input());
        } catch (IOException e) {
            if (upload.incompleteWithin(LAST_BYTES)) {
                tap.notSent();
            }
            var failure = upload.clientFailure();
            if (failure != null) {
                throw failure;
            }
            throw broken(upstream);
        }
    }

    private static Refusal broken(Wire upstream) {
        return upstream.deadline().passed()
                ? new Refusal(504, "Ash: the host did not answer in time; try again")
                : new Refusal(502, "Ash: the host broke off before it answered; try again");
    }

    private Framing framing(ResponseHead answer) throws Refusal {
        try {
            return Framing.of(request.method(), answer);
        } catch (BadMessageException e) {
            throw new Refusal(502, "Ash: the host answered with " + e.getMessage());
        }
    }

    private byte[] head(ResponseHead answer, Framing framing, boolean keepsAlive) {
        var text =
                new StringBuilder("HTTP/1.1 " + answer.status() + " " + answer.reason() + "\r\n");
        var headers = framing.declareIn(answer.headers().endToEnd());
        if (request.method().equals("HEAD")) {
            // To a HEAD request they speak of the body that a GET would have.
            for (var length : answer.headers().values("content-length")) {
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
