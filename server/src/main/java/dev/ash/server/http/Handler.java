package dev.ash.server.http;

/** Answers one kind of request; blocks until the answer is sent. */
@FunctionalInterface
public interface Handler {
    void handle(Exchange exchange) throws Exception;
}
