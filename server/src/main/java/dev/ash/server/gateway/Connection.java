package dev.ash.server.gateway;

/**
 * Receives the events of one WebSocket, whose device may not be authenticated yet. Messages arrive
 * one at a time, all other events at any time.
 */
sealed interface Connection permits DeviceConnection, InsecureConnection {
    /** Called when the WebSocket is open, before the first message. */
    void opened();

    void received(String text);

    /** Called when the first message should have been received; it may have been. */
    default void firstMessageOverdue() {}

    /** Called when the device should have authenticated; it may have. */
    void authenticationOverdue();

    /** Called when the device has received all frames sent before the ping with this number. */
    default void pong(long number) {}

    /** Called when the device has acknowledged the warning on another of its connections. */
    default void acknowledgedOnOtherConnection() {}

    /** Called periodically, because an acknowledgment is valid for a limited time. */
    default void checkAcknowledgment() {}

    /** Sends the reason to the device and closes the connection. */
    void refuse(ConnectionRefusal refusal);

    /** Called when the WebSocket is closed, possibly more than once. */
    default void closed() {}
}
