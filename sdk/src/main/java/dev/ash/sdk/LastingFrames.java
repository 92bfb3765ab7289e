package dev.ash.sdk;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Frames that outlive their connections: when one is lost, the next begins after the last numbered
 * frame, and what comes a second time is left out. Read by one thread; closed by any.
 */
final class LastingFrames implements Frames {
    /** Frames without a number of their own that a server makes again from a stored message. */
    private static final Set<String> DERIVED =
            Set.of("tool_use", "tool_result", "turn_complete", "notice");

    /** Opens a connection whose frames come after this number, 0 where none has been seen. */
    interface Opening {
        Frames after(long number);
    }

    /**
     * Whether the stream is at its end of itself: with this frame, or, where that is null, with the
     * end of a connection that was not lost.
     */
    interface End {
        End NEVER = _ -> false;
        End AT_DONE = frame -> frame != null && frame.event().equals("done");

        boolean at(@Nullable SseFrame frame);
    }

    private final Opening opening;
    private final End end;
    private final Retries retries;
    private Frames connection;
    private long last;
    private boolean started;
    private boolean ended;

    /** Derived frames that were given out since the last numbered one. */
    private final List<SseFrame> derived = new ArrayList<>();

    /** Those of them that this connection has still to repeat. */
    private final List<SseFrame> repeated = new ArrayList<>();

    LastingFrames(Opening opening, long after, End end, Retries retries) {
        this.opening = opening;
        this.last = after;
        this.end = end;
        this.retries = retries;
        this.connection = retries.call(() -> opening.after(after));
    }

    @Override
    public @Nullable SseFrame next() {
        while (!ended && !retries.isStopped()) {
            try {
                var frame = connection.next();
                if (frame == null) {
                    ended = end.at(null);
                    if (ended) {
                        return null;
                    }
                    throw new ConnectionLostException(
                            "The server ended the event stream after event %d, before its time."
                                    .formatted(last),
                            null);
                }
                if (isNew(frame)) {
                    ended = end.at(frame);
                    return frame;
                }
            } catch (ConnectionLostException e) {
                if (!retries.isStopped()) {
                    reopen(e);
                }
            }
        }
        return null;
    }

    private void reopen(ConnectionLostException why) {
        connection.close();
        try {
            retries.await(why);
            keep(retries.call(() -> opening.after(last)));
        } catch (AshException e) {
            if (!retries.isStopped()) {
                throw e;
            }
        }
        repeated.clear();
        repeated.addAll(derived);
    }

    private boolean isNew(SseFrame frame) {
        if (frame.number() > 0) {
            if (frame.number() <= last) {
                return false;
            }
            last = frame.number();
            retries.progressed(); // not by other frames: a retry may bring those again for ever
            derived.clear();
            repeated.clear();
            return true;
        }
        if (frame.event().equals("session_start")) {
            var isFirst = !started;
            started = true;
            return isFirst;
        }
        if (DERIVED.contains(frame.event())) {
            return !repeated.remove(frame) && derived.add(frame);
        }
        return true;
    }

    private synchronized void keep(Frames opened) {
        connection = opened;
        if (retries.isStopped()) {
            opened.close();
        }
    }

    @Override
    public synchronized void close() {
        retries.stop();
        connection.close();
    }
}
