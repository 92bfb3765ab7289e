package dev.ash.server.egress.http;

import java.io.IOException;

/** Serves the requests of client connections. Called concurrently. */
@FunctionalInterface
public interface RequestHandler {
    /** Returns whether the client's connection can be reused. */
    boolean serve(ProxyExchange exchange) throws IOException, ProxyException;
}
