package dev.ash.server.session;

/** The sandbox is going to sleep: wake the session and try again. */
final class AsleepException extends Exception {
    private static final long serialVersionUID = 1L;
}
