package dev.ash.sdk;

import dev.ash.protocol.rest.AshStreamEvent;
import java.io.InputStream;
import java.util.Iterator;
import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;

/**
 * The events of a session as they come. Read it with a for loop or with {@link #next}, in one
 * thread; closing it (also from another thread) ends the watching, never the turn. Where a stream
 * outlives its connection, each event still comes once; only pieces of a message, which are not in
 * the log, may be missing.
 */
public final class EventStream implements Iterable<AshStreamEvent>, AutoCloseable {
    private final Frames frames;
    private long lastId;

    EventStream(Frames frames) {
        this.frames = frames;
    }

    /** The events in any stream of server-sent events, whoever fetched it. */
    public static EventStream parseSseStream(InputStream in) {
        return new EventStream(new ConnectionFrames(in, in));
    }

    /** The next event; null at the end of the stream. */
    public @Nullable AshStreamEvent next() {
        var frame = nextFrame();
        return frame == null ? null : frame.toEvent();
    }

    /** The next event as it was sent, for those who pass it on. */
    public @Nullable SseFrame nextFrame() {
        var frame = frames.next();
        if (frame != null && frame.number() > 0) {
            lastId = frame.number();
        }
        return frame;
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
        frames.close();
    }
}
