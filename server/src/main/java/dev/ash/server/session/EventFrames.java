package dev.ash.server.session;

import dev.ash.protocol.Limits;
import dev.ash.protocol.notice.Notices;
import dev.ash.server.event.Highlights;
import dev.ash.server.event.LoggedEvent;
import dev.ash.server.event.Watcher;
import dev.ash.server.http.SseFrames;
import dev.ash.server.http.SseStream;
import java.io.IOException;
import java.time.Duration;
import java.util.List;

/**
 * Writes events as frames of a stream: those that are at hand go out in one write, up to a size.
 * For one thread.
 */
final class EventFrames {
    private static final int WRITE_BYTES = 64 * 1024;

    private final SseStream stream;
    private final SseFrames frames = new SseFrames();

    EventFrames(SseStream stream) {
        this.stream = stream;
    }

    /** Waits for the next events, breaking the silence now and then. */
    List<LoggedEvent> next(Watcher watcher) throws IOException, InterruptedException {
        var events = watcher.nextBatch(Limits.HEARTBEAT);
        if (events.isEmpty()) {
            stream.comment("waiting");
        }
        return events;
    }

    /** The events that are there already. */
    List<LoggedEvent> rest(Watcher watcher) throws InterruptedException {
        return watcher.nextBatch(Duration.ZERO);
    }

    void add(LoggedEvent event) throws IOException {
        switch (event.type()) {
            case MESSAGE -> {
                for (var highlight : event.highlights()) {
                    if (highlight.data().length() >= WRITE_BYTES) {
                        send();
                        stream.frame(highlight.event(), highlight.data());
                    } else {
                        frames.add(highlight.event(), highlight.data());
                    }
                }
                add("message", event);
            }
            case ERROR -> add("error", event);
            case DONE -> add("done", event);
            case APPROVAL_REQUIRED -> add("approval_required", event);
            case APPROVAL_RESOLVED -> add("approval_resolved", event);
            case NETWORK_BLOCKED -> {
                Notices.ofBlockedHost(event.data())
                        .map(Highlights::of)
                        .ifPresent(notice -> frames.add(notice.event(), notice.data()));
                add("network_blocked", event);
            }
            case HOOK -> add("hook", event);
            case PROMPT -> add("prompt", event);
            case LIFECYCLE -> {} // history, not part of a stream
        }
        if (frames.bytes() >= WRITE_BYTES) {
            send();
        }
    }

    /** A large one is not copied into a frame. */
    private void add(String name, LoggedEvent event) throws IOException {
        if (event.data().length() >= WRITE_BYTES) {
            send();
            if (event.isHint()) {
                stream.frame(name, event.data());
            } else {
                stream.frame(name, event.data(), event.seq());
            }
        } else if (event.isHint()) {
            frames.add(name, event.data());
        } else {
            frames.add(name, event.data(), event.seq());
        }
    }

    void send() throws IOException {
        stream.send(frames);
    }
}
