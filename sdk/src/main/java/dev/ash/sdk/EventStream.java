package dev.ash.sdk;

import dev.ash.protocol.rest.AshStreamEvent;
import java.io.InputStream;
import java.util.Iterator;
import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;

/**
 * Stream of a session's events. Read it in one thread, with a for loop or with {@link #next}. Any
 * thread may close it; closing does not end the turn. A stream that reconnects delivers each logged
 * event exactly once; partial messages, which are not logged, may be lost.
 */
public final class EventStream implements Iterable<AshStreamEvent>, AutoCloseable {
    private final FrameSource frames;
    private long lastId;

    EventStream(FrameSource frames) {
        this.frames = frames;
    }

    /** Parses a stream of server-sent events that was opened by other means. */
    public static EventStream parseSseStream(InputStream in) {
        return new EventStream(new ConnectionFrameSource(in, in));
    }

    /** Returns the next event, or null at the end of the stream. */
    public @Nullable AshStreamEvent next() {
        var frame = nextFrame();
        return frame == null ? null : frame.toEvent();
    }

    /** Returns the next event as an unparsed frame, for forwarding; null at the end. */
    public @Nullable SseFrame nextFrame() {
        var frame = frames.next();
        if (frame != null && frame.number() > 0) {
            lastId = frame.number();
        }
        return frame;
    }

    /** Returns the number of the last logged event read, or 0; resume the stream after it. */
    public long lastId() {
        return lastId;
    }

    @Override
    public Iterator<AshStreamEvent> iterator() {
        return new Iterator<>() {
            private @Nullable AshStreamEvent lookahead;

            @Override
            public boolean hasNext() {
                if (lookahead == null) {
                    lookahead = EventStream.this.next();
                }
                return lookahead != null;
            }

            @Override
            public AshStreamEvent next() {
                if (!hasNext() || lookahead == null) {
                    throw new NoSuchElementException("the stream has ended");
                }
                var event = lookahead;
                lookahead = null;
                return event;
            }
        };
    }

    @Override
    public void close() {
        frames.close();
    }
}
