package dev.ash.server.http;

import java.util.List;

/** Accepts the WebSockets of a listener. */
public interface Sockets {
    /** Maximum size of a message in bytes before its sender is authenticated. */
    int MAX_UNAUTHENTICATED_MESSAGE = 64 * 1024;

    /** Maximum size of a message in bytes after {@link Socket#acceptLargeMessages}. */
    int MAX_MESSAGE = 4 * 1024 * 1024;

    Sockets NONE =
            new Sockets() {
                @Override
                public List<String> paths() {
                    return List.of();
                }

                @Override
                public SocketHandler accept(SocketRequest request) {
                    throw new IllegalStateException("There are no WebSocket paths");
                }
            };

    /** Returns the paths of the WebSockets. */
    List<String> paths();

    /**
     * Accepts a WebSocket and returns its handler.
     *
     * @throws dev.ash.protocol.ApiException if the request is rejected
     */
    SocketHandler accept(SocketRequest request);
}
