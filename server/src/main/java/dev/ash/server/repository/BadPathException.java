package dev.ash.server.repository;

/** Thrown for a path that is invalid or cannot be read; the message is for users. */
public final class BadPathException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    BadPathException(String message) {
        super(message);
    }
}
