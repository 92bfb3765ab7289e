package dev.ash.server.repository;

/** Thrown if a git command fails; the message is for users. */
public final class GitFailedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    GitFailedException(String message) {
        super(message);
    }
}
