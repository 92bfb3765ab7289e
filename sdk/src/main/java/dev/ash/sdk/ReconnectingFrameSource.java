package dev.ash.sdk;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads frames across reconnects: after a lost connection, opens the next one after the last
 * numbered frame and drops duplicates. Read by one thread; any thread may close it.
 */
final class ReconnectingFrameSource implements FrameSource {
    /** Unnumbered frames that the server derives from a stored message again on replay. */
    private static final Set<String> DERIVED =
            Set.of("tool_use", "tool_result", "turn_complete", "notice");

    /** Opens a connection that sends the frames after this number, or all for 0. */
    interface Connector {
        FrameSource connectAfter(long number);
    }

    /**
     * Decides whether the stream is complete with this frame, or, if null, with the regular end of
     * a connection.
     */
    interface EndCondition {
        EndCondition NEVER = _ -> false;
        EndCondition AT_DONE = frame -> frame != null && frame.event().equals("done");

        boolean isEnd(@Nullable SseFrame frame);
    }

    private final Connector connector;
    private final EndCondition endCondition;
    private final Retries retries;
    private FrameSource connection;
    private long lastNumber;
    private boolean sessionStarted;
    private boolean ended;

    /** Derived frames returned since the last numbered frame. */
    private final List<SseFrame> deliveredDerived = new ArrayList<>();

    /** Derived frames that the current connection is expected to repeat. */
    private final List<SseFrame> expectedDuplicates = new ArrayList<>();

    ReconnectingFrameSource(
            Connector connector, long after, EndCondition endCondition, Retries retries) {
        this.connector = connector;
        this.lastNumber = after;
        this.endCondition = endCondition;
        this.retries = retries;
        this.connection = retries.call(() -> connector.connectAfter(after));
    }

    @Override
    public @Nullable SseFrame next() {
        while (!ended && !retries.isStopped()) {
            try {
                var frame = connection.next();
                if (frame == null) {
                    ended = endCondition.isEnd(null);
                    if (ended) {
                        return null;
                    }
                    throw new ConnectionLostException(
                            "The server closed the event stream after event %d, before its end."
                                    .formatted(lastNumber),
                            null);
                }
                if (isNew(frame)) {
                    ended = endCondition.isEnd(frame);
                    return frame;
                }
            } catch (ConnectionLostException e) {
                if (!retries.isStopped()) {
                    reconnect(e);
                }
            }
        }
        return null;
    }

    private void reconnect(ConnectionLostException cause) {
        connection.close();
        try {
            retries.awaitRetry(cause);
            setConnection(retries.call(() -> connector.connectAfter(lastNumber)));
        } catch (AshException e) {
            if (!retries.isStopped()) {
                throw e;
            }
        }
        expectedDuplicates.clear();
        expectedDuplicates.addAll(deliveredDerived);
    }

    private boolean isNew(SseFrame frame) {
        if (frame.number() > 0) {
            if (frame.number() <= lastNumber) {
                return false;
            }
            lastNumber = frame.number();
            retries.progressed(); // numbered frames only: a retry may repeat others forever
            deliveredDerived.clear();
            expectedDuplicates.clear();
            return true;
        }
        if (frame.event().equals("session_start")) {
            var isFirst = !sessionStarted;
            sessionStarted = true;
            return isFirst;
        }
        if (DERIVED.contains(frame.event())) {
            return !expectedDuplicates.remove(frame) && deliveredDerived.add(frame);
        }
        return true;
    }

    private synchronized void setConnection(FrameSource opened) {
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
