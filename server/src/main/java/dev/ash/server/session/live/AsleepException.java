package dev.ash.server.session.live;

/** The sandbox is going to sleep: wake the session and try again. */
public final class AsleepException extends Exception {
    private static final long serialVersionUID = 1L;
}
