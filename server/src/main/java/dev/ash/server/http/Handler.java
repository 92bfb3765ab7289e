package dev.ash.server.http;

/** Handles the requests of one endpoint; blocks until the response is sent. */
@FunctionalInterface
public interface Handler {
    void handle(Exchange exchange) throws Exception;
}
