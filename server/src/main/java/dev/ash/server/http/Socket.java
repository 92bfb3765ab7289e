package dev.ash.server.http;

/** An open WebSocket. Everything returns at once, and nothing fails: one that is gone, is gone. */
public interface Socket {
    /** {@code sent} runs once the text has left. */
    void send(String text, Runnable sent);

    void ping(long number);

    /** From the next message on; before that a message may have {@link Sockets#FIRST_MESSAGES}. */
    void acceptLargeMessages();

    void close(int status, String reason);

    /** Ends it without a word. */
    void cut();
}
