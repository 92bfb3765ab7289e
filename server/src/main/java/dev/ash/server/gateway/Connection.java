package dev.ash.server.gateway;

/**
 * The server's end of a WebSocket, from a device or from one that is yet to authenticate. Messages
 * arrive one at a time; all other events at any time.
 */
sealed interface Connection permits DeviceConnection, InsecureConnection {
    /** The WebSocket is open, and no message was read. */
    void opened();

    void received(String text);

    /** No message has arrived for a moment, although devices send one immediately. */
    default void firstMessageOverdue() {}

    /** The time to authenticate is over. */
    void authenticationOverdue();

    /** A frame that was sent before the ping with this number has arrived. */
    default void pong(long number) {}

    /** The device has acknowledged the warning on another of its connections. */
    default void acknowledgedElsewhere() {}

    /** Called periodically: an acknowledgment is valid for a limited time. */
    default void checkAcknowledgment() {}

    /** Tells the device why, and closes the connection. */
    void refuse(ConnectionRefusal why);

    /** The WebSocket is closed; may be called more than once. */
    default void closed() {}
}
