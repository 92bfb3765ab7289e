package dev.ash.server.egress.http;

import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;

/** One connection of a sandbox to its proxy. Serves requests in sequence until it is closed. */
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
            while (serveNext()) {
                client.closeWhenIdle(limits.idle());
            }
        } catch (BadMessageException e) {
            refuse(new ProxyException(e.status(), "Ash: the request has " + e.getMessage()));
        } catch (IOException e) {
            // The client or an upstream host has closed the connection; the caller closes it too.
        }
    }

    /** Sends an error that ends the connection: it exceeds a limit, or its request is malformed. */
    public void refuse(ProxyException error) {
        try {
            write(error, false, true);
            linger();
        } catch (IOException e) {
            // The client does not receive the reason.
        }
    }

    private boolean serveNext() throws IOException {
        if (!client.input().hasMore()) {
            return false;
        }
        client.closeWithin(limits.head());
        var exchange = ProxyExchange.read(client, limits);
        client.closeWhenIdle(limits.clientIdle());
        try {
            boolean reusable = handler.serve(exchange);
            if (!reusable) {
                linger();
            }
            return reusable;
        } catch (ProxyException e) {
            return sendError(exchange.request(), exchange.unreadBody(), e);
        }
    }

    /** Sends an error, then reads the rest of the body: many clients read a response only then. */
    private boolean sendError(RequestHead request, Framing body, ProxyException error)
            throws IOException {
        boolean reusable =
                request.keepsAlive()
                        && switch (body) {
                            case Framing.None() -> true;
                            case Framing.Length(var bytes) ->
                                    bytes <= EgressLimits.MAX_DRAINED_BYTES
                                            && !request.expectsContinue();
                            case Framing.Chunked(), Framing.UntilClose() -> false;
                        };
        write(error, reusable, !request.method().equals("HEAD"));
        if (!reusable) {
            if (!(body
                    instanceof
                    Framing.UntilClose)) { // otherwise the upload thread is still reading
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

    /** Discards the remaining data of the client: closing earlier could discard the response. */
    private void linger() throws IOException {
        client.shutdownOutput();
        client.closeWithin(LINGER);
        var piece = new byte[BodyOutput.PIECE];
        int remaining = EgressLimits.MAX_DRAINED_BYTES;
        while (remaining > 0) {
            int count = client.input().read(piece);
            if (count < 0) {
                return;
            }
            remaining -= count;
        }
    }
}
