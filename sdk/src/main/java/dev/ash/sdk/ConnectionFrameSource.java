package dev.ash.sdk;

import java.io.IOException;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;

/** Reads frames from one connection. Fails if the connection is lost. */
final class ConnectionFrameSource implements FrameSource {
    private final SseReader reader;
    private final AutoCloseable connection;

    ConnectionFrameSource(InputStream in, AutoCloseable connection) {
        this.reader = new SseReader(in);
        this.connection = connection;
    }

    @Override
    public @Nullable SseFrame next() {
        try {
            return reader.next();
        } catch (IOException e) {
            var position =
                    reader.lastId().isEmpty()
                            ? "before its first event"
                            : "after event " + reader.lastId();
            throw new ConnectionLostException(
                    "The event stream was interrupted %s (%s). The turn continues on the server; resume the session's stream from there."
                            .formatted(position, e.getMessage()),
                    e);
        }
    }

    @Override
    public void close() {
        try {
            connection.close();
        } catch (Exception e) {
            // The stream is abandoned in any case.
        }
    }
}
