package dev.ash.e2e.crash;

import dev.ash.e2e.Frame;
import dev.ash.e2e.FrameReader;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;

/** Follows a session's stream and reconnects after its last event when a server dies. */
final class StreamSubscriber {
    private final CrashServers servers;
    private final String session;
    private final List<Frame> events = new ArrayList<>(); // accessed with its monitor held
    private final Thread thread;
    private volatile boolean over;
    private volatile Throwable failure;

    StreamSubscriber(CrashServers servers, String session) {
        this.servers = servers;
        this.session = session;
        this.thread = Thread.ofVirtual().name("subscriber-" + session).start(this::run);
    }

    private void run() {
        try {
            while (!over) {
                var server = servers.server();
                try (var frames =
                        server.api()
                                .follow("/api/sessions/" + session + "/stream?after=" + last())) {
                    read(frames);
                } catch (UncheckedIOException e) {
                    if (!servers.awaitDeath(server) && !over) {
                        throw e;
                    }
                }
            }
        } catch (RuntimeException | Error e) {
            failure = e;
        }
    }

    private void read(FrameReader frames) {
        for (var frame = frames.next(); frame != null && !over; frame = frames.next()) {
            if (frame.id() > 0) {
                synchronized (events) {
                    events.add(frame);
                }
            }
        }
    }

    private long last() {
        synchronized (events) {
            return events.isEmpty() ? 0 : events.getLast().id();
        }
    }

    List<Frame> events() {
        if (failure != null && !over) {
            throw new AssertionError("the subscriber of " + session + " failed", failure);
        }
        synchronized (events) {
            return List.copyOf(events);
        }
    }

    /** Stops following; the thread terminates no later than its server. */
    void stop() {
        over = true;
        thread.interrupt();
    }
}
