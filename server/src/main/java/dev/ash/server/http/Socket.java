package dev.ash.server.http;

/** An open WebSocket. All methods return immediately and have no effect once it is closed. */
public interface Socket {
    /** Runs {@code sent} after the text was sent. */
    void send(String text, Runnable sent);

    void ping(long number);

    /**
     * Raises the message limit from {@link Sockets#MAX_UNAUTHENTICATED_MESSAGE} for later messages.
     */
    void acceptLargeMessages();

    void close(int status, String reason);

    /** Closes the connection without a close frame. */
    void disconnect();
}
