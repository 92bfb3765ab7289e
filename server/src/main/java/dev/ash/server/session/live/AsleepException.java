package dev.ash.server.session.live;

/** Thrown when the session is being put to sleep: the caller must wake it and retry. */
public final class AsleepException extends Exception {
    private static final long serialVersionUID = 1L;
}
