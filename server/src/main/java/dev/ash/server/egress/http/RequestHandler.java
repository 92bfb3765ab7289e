package dev.ash.server.egress.http;

import java.io.IOException;

/** Serves the requests of client connections, several at the same time. */
@FunctionalInterface
public interface RequestHandler {
    /** Returns whether the client's connection can be reused. */
    boolean serve(ProxyExchange exchange) throws IOException, ProxyException;
}
