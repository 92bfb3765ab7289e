package dev.ash.server.http;

import java.util.List;

/** The WebSockets of a listener. */
public interface Sockets {
    /** How many bytes a message may have while nobody knows who sends it. */
    int FIRST_MESSAGES = 64 * 1024;

    /** And after {@link Socket#acceptLargeMessages}. */
    int LARGE_MESSAGES = 4 * 1024 * 1024;

    Sockets NONE =
            new Sockets() {
                @Override
                public List<String> paths() {
                    return List.of();
                }

                @Override
                public SocketHandler accept(SocketRequest request) {
                    throw new IllegalStateException("there is no path that leads here");
                }
            };

    /** Where they are. */
    List<String> paths();

    /**
     * One is about to open.
     *
     * @throws dev.ash.protocol.ApiException where it may not
     */
    SocketHandler accept(SocketRequest request);
}
