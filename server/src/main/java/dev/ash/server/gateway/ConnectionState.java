package dev.ash.server.gateway;

/**
 * The states of a {@link DeviceConnection}. Any other event leaves the state as it is:
 *
 * <pre>
 * from                       event                                               to
 * Opened                     auth with a valid token                             Admitted
 * Admitted, not a probe      no warning about the connection is unacknowledged   Serving
 * Opened, Admitted, Serving  refused: no auth, invalid token, revoked, replaced   Refused
 * any                        the WebSocket is closed                             Closed
 * </pre>
 */
sealed interface ConnectionState {
    record Opened() implements ConnectionState {}

    /** The states in which the device is authenticated. */
    sealed interface Authenticated extends ConnectionState {
        AdmittedDevice device();
    }

    /** A probe, or a connection whose warning is not acknowledged yet. */
    record Admitted(AdmittedDevice device) implements Authenticated {}

    record Serving(AdmittedDevice device, Channel channel) implements Authenticated {}

    /** The reason was sent. Messages are ignored until the WebSocket is closed. */
    record Refused(ConnectionState before) implements ConnectionState {}

    record Closed() implements ConnectionState {}

    default boolean isEnded() {
        return this instanceof Refused || this instanceof Closed;
    }

    /** Releases the resources of a state that a closed connection was in. */
    default void release() {
        switch (this) {
            case Opened _, Closed _ -> {}
            case Admitted(var device) -> device.close();
            case Serving(var device, var channel) -> {
                device.close();
                close(channel);
            }
            case Refused(var before) -> before.release();
        }
    }

    /** On another thread: the one that sends frames may be the one that detects the close. */
    static void close(Channel channel) {
        Thread.ofVirtual().name("gateway-close").start(channel::close);
    }
}
