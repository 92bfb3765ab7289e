package dev.ash.e2e.crash;

import dev.ash.e2e.Frame;
import dev.ash.e2e.FrameReader;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;

/** Follows a session's stream, and when a server dies goes on behind the last that it saw. */
final class Watch {
    private final Host host;
    private final String session;
    private final List<Frame> seen = new ArrayList<>(); // guarded by itself
    private final Thread thread;
    private volatile boolean over;
    private volatile Throwable failure;

    Watch(Host host, String session) {
        this.host = host;
        this.session = session;
        this.thread = Thread.ofVirtual().name("watch-" + session).start(this::run);
    }

    private void run() {
        try {
            while (!over) {
                var server = host.server();
                try (var frames =
                        server.api()
                                .follow("/api/sessions/" + session + "/stream?after=" + last())) {
                    read(frames);
                } catch (UncheckedIOException e) {
                    if (!host.awaitDeath(server) && !over) {
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
                synchronized (seen) {
                    seen.add(frame);
                }
            }
        }
    }

    private long last() {
        synchronized (seen) {
            return seen.isEmpty() ? 0 : seen.getLast().id();
        }
    }

    List<Frame> seen() {
        if (failure != null && !over) {
            throw new AssertionError("the watcher of " + session + " failed", failure);
        }
        synchronized (seen) {
            return List.copyOf(seen);
        }
    }

    /** Its thread ends with its server. */
    void end() {
        over = true;
        thread.interrupt();
    }
}
