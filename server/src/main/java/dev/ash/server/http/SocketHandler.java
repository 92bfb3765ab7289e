package dev.ash.server.http;

/** What becomes of a WebSocket. Called by one thread at a time, but for {@link #closed}. */
public interface SocketHandler {
    void opened(Socket socket);

    void text(String text);

    void binary();

    /** The answer to a ping with a number. */
    void pong(long number);

    /** It is over, for whatever reason; said once or more often. */
    void closed();
}
