package dev.ash.server.session.turn;

import dev.ash.protocol.Limits;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.notice.Notices;
import dev.ash.server.event.DerivedFrames;
import dev.ash.server.event.EventSubscription;
import dev.ash.server.event.LoggedEvent;
import dev.ash.server.http.SseStream;
import java.io.IOException;
import java.time.Duration;
import java.util.List;

/**
 * Writes events of all types as frames of an event stream; the caller selects the events. {@link
 * #send} flushes the frames of the added events. Not thread-safe.
 */
final class EventFrames {
    private final SseStream stream;

    EventFrames(SseStream stream) {
        this.stream = stream;
    }

    /** Waits for the next events, and sends a comment as heartbeat if there are none. */
    List<LoggedEvent> awaitEvents(EventSubscription subscription)
            throws IOException, InterruptedException {
        var events = subscription.nextBatch(Limits.HEARTBEAT_INTERVAL);
        addSkipped(subscription);
        if (events.isEmpty()) {
            stream.comment("waiting");
        }
        return events;
    }

    /** Returns the events that are available without waiting. */
    List<LoggedEvent> availableEvents(EventSubscription subscription)
            throws IOException, InterruptedException {
        var events = subscription.nextBatch(Duration.ZERO);
        addSkipped(subscription);
        return events;
    }

    /** Reports that this client was too slow for partial messages. */
    private void addSkipped(EventSubscription subscription) throws IOException {
        var after = subscription.takeSkipped();
        if (after.isPresent()) {
            stream.add("deltas_skipped", JsonWriter.object().put("after", after.getAsLong()).end());
        }
    }

    void add(LoggedEvent event) throws IOException {
        switch (event.type()) {
            case MESSAGE -> {
                for (var frame : event.derivedFrames()) {
                    stream.add(frame.event(), frame.data());
                }
                add("message", event);
            }
            case ERROR -> add("error", event);
            case DONE -> add("done", event);
            case APPROVAL_REQUIRED -> add("approval_required", event);
            case APPROVAL_RESOLVED -> add("approval_resolved", event);
            case NETWORK_BLOCKED -> {
                var notice = Notices.ofBlockedHost(event.data()).map(DerivedFrames::of);
                if (notice.isPresent()) {
                    stream.add(notice.get().event(), notice.get().data());
                }
                add("network_blocked", event);
            }
            case HOOK -> add("hook", event);
            case PROMPT -> add("prompt", event);
            case LIFECYCLE -> add("lifecycle", event);
        }
    }

    private void add(String name, LoggedEvent event) throws IOException {
        if (event.isTransient()) {
            stream.add(name, event.data());
        } else {
            stream.add(name, event.data(), event.seq());
        }
    }

    void send() throws IOException {
        stream.flush();
    }
}
