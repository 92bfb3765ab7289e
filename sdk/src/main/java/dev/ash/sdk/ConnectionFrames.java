package dev.ash.sdk;

import java.io.IOException;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;

/** The frames of one connection; it is lost, they are lost. */
final class ConnectionFrames implements Frames {
    private final SseReader reader;
    private final AutoCloseable connection;

    ConnectionFrames(InputStream in, AutoCloseable connection) {
        this.reader = new SseReader(in);
        this.connection = connection;
    }

    @Override
    public @Nullable SseFrame next() {
        try {
            return reader.next();
        } catch (IOException e) {
            var place =
                    reader.lastId().isEmpty()
                            ? "before its first event"
                            : "after event " + reader.lastId();
            throw new ConnectionLostException(
                    "The event stream broke off %s (%s). The turn goes on in the server; watch the session's stream from there to see the rest."
                            .formatted(place, e.getMessage()),
                    e);
        }
    }

    @Override
    public void close() {
        try {
            connection.close();
        } catch (Exception e) {
            // The stream is over either way, and what was read stays read.
        }
    }
}
