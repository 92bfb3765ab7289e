package dev.ash.server.egress.http;

import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;

/** One connection of a sandbox. Reads its requests in sequence until either side closes it. */
public final class ClientConnection {
    private static final Duration LINGER = Duration.ofSeconds(1);

    private final TimedConnection client;
    private final RequestHandler handler;
    private final EgressLimits limits;

    public ClientConnection(TimedConnection client, RequestHandler handler, EgressLimits limits) {
        this.client = client;
        this.handler = handler;
        this.limits = limits;
    }

    public void serve() {
        try {
            client.closeWithin(limits.head());
            while (next()) {
                client.closeWhenIdle(limits.idle());
            }
        } catch (BadMessageException e) {
            refuse(new ProxyException(e.status(), "Ash: the request has " + e.getMessage()));
        } catch (IOException e) {
            // The client or an upstream host closed the connection; closing reports it.
        }
    }

    /** Rejects the whole connection: it exceeds a limit, or its request is malformed. */
    public void refuse(ProxyException error) {
        try {
            write(error, false, true);
            linger();
        } catch (IOException e) {
            // The client does not receive the reason.
        }
    }

    private boolean next() throws IOException {
        if (!client.input().more()) {
            return false;
        }
        client.closeWithin(limits.head());
        var exchange = ProxyExchange.read(client, limits);
        client.closeWhenIdle(limits.clientIdle());
        try {
            boolean again = handler.serve(exchange);
            if (!again) {
                linger();
            }
            return again;
        } catch (ProxyException e) {
            return answer(exchange.request(), exchange.bodyLeft(), e);
        }
    }

    /** Reads the body to its end: otherwise the client would not read the response. */
    private boolean answer(RequestHead request, Framing body, ProxyException error)
            throws IOException {
        boolean again =
                request.keepsAlive()
                        && switch (body) {
                            case Framing.None() -> true;
                            case Framing.Length(var bytes) ->
                                    bytes <= EgressLimits.MAX_DRAINED_BYTES
                                            && !request.expectsContinue();
                            case Framing.Chunked(), Framing.UntilClose() -> false;
                        };
        write(error, again, !request.method().equals("HEAD"));
        if (!again) {
            if (!(body instanceof Framing.UntilClose)) { // else the upload thread still reads
                linger();
            }
            return false;
        }
        body.open(client.input()).transferTo(OutputStream.nullOutputStream());
        return true;
    }

    private void write(ProxyException error, boolean keepsAlive, boolean withBody)
            throws IOException {
        client.output().write(error.head(keepsAlive));
        if (withBody) {
            client.output().write(error.body());
        }
    }

    /** Reads what the client still sends: closing before would discard the response. */
    private void linger() throws IOException {
        client.shutdownOutput();
        client.closeWithin(LINGER);
        var piece = new byte[BodyOutput.PIECE];
        int left = EgressLimits.MAX_DRAINED_BYTES;
        while (left > 0) {
            int count = client.input().read(piece);
            if (count < 0) {
                return;
            }
            left -= count;
        }
    }
}
