package dev.ash.server.http;

/** Handles the events of a WebSocket. Single-threaded, except {@link #closed}. */
public interface SocketHandler {
    void opened(Socket socket);

    void text(String text);

    void binary();

    /** Receives the pong of a numbered ping. */
    void pong(long number);

    /** Called once or several times after the WebSocket was closed or failed. */
    void closed();
}
