package dev.ash.sdk;

import dev.ash.protocol.rest.AshStreamEvent;
import java.io.IOException;
import java.io.InputStream;
import java.util.Iterator;
import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;

/**
 * The events of a session as they come. Read it with a for loop or with {@link #next}, in one
 * thread; closing it (also from another thread) ends the watching, never the turn.
 */
public final class EventStream implements Iterable<AshStreamEvent>, AutoCloseable {
    private final SseReader frames;
    private final AutoCloseable connection;
    private long lastId;

    EventStream(InputStream in, AutoCloseable connection) {
        this.frames = new SseReader(in);
        this.connection = connection;
    }

    /** The events in any stream of server-sent events, whoever fetched it. */
    public static EventStream parseSseStream(InputStream in) {
        return new EventStream(in, in);
    }

    /** The next event; null when the server has ended the stream. */
    public @Nullable AshStreamEvent next() {
        var frame = nextFrame();
        return frame == null ? null : frame.toEvent();
    }

    /** The next event as it was sent, for those who pass it on. */
    public @Nullable SseFrame nextFrame() {
        try {
            var frame = frames.next();
            if (frame != null && frame.number() > 0) {
                lastId = frame.number();
            }
            return frame;
        } catch (IOException e) {
            throw new ConnectionLostException(
                    "The event stream broke off after event %d (%s). The turn goes on in the server; watch the session's stream from that event to see the rest."
                            .formatted(lastId, e.getMessage()),
                    e);
        }
    }

    /** The number of the last event of the log that was read, or 0; resume the stream after it. */
    public long lastId() {
        return lastId;
    }

    @Override
    public Iterator<AshStreamEvent> iterator() {
        return new Iterator<>() {
            private @Nullable AshStreamEvent ahead;

            @Override
            public boolean hasNext() {
                if (ahead == null) {
                    ahead = EventStream.this.next();
                }
                return ahead != null;
            }

            @Override
            public AshStreamEvent next() {
                if (!hasNext() || ahead == null) {
                    throw new NoSuchElementException("the stream has ended");
                }
                var event = ahead;
                ahead = null;
                return event;
            }
        };
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
