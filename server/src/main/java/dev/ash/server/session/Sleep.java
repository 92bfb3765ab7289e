package dev.ash.server.session;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Puts sessions to sleep that nobody used for a while. */
public final class Sleep implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger("ash.session");

    private final Sessions sessions;
    private final SessionCore core;
    private final Duration idle;
    private @Nullable Thread thread;

    public Sleep(Sessions sessions, SessionCore core, Duration idle) {
        this.sessions = sessions;
        this.core = core;
        this.idle = idle;
    }

    public void start() {
        thread = Thread.ofVirtual().name("sleep").start(this::run);
    }

    private void run() {
        try {
            while (true) {
                Thread.sleep(Math.clamp(idle.toMillis() / 4, 20, 30_000));
                sessions.live().stream().filter(this::isIdle).forEach(this::rest);
            }
        } catch (InterruptedException e) {
            // The server is shutting down.
        }
    }

    /** A turn that only waits for an answer is idle too; the bridge knows whether it can rest. */
    private boolean isIdle(LiveSession session) {
        return session.idleFor().compareTo(idle) >= 0
                && (!session.isBusy() || core.approvals().openOf(session.id()) == 1);
    }

    private void rest(LiveSession session) {
        Thread.ofVirtual()
                .start(
                        () -> {
                            try {
                                if (!sessions.sleep(session)) {
                                    session.used(); // asked again after as long a while
                                }
                            } catch (RuntimeException e) {
                                LOG.log(
                                        System.Logger.Level.WARNING,
                                        "session " + session.id() + " did not rest",
                                        e);
                            }
                        });
    }

    @Override
    public void close() {
        if (thread != null) {
            thread.interrupt();
        }
    }
}
