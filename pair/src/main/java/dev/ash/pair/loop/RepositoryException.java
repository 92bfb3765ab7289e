package dev.ash.pair.loop;

/**
 * Thrown when an operation on the repository or a clone fails; the message is shown to the user.
 */
public final class RepositoryException extends Exception {
    private static final long serialVersionUID = 1L;

    public RepositoryException(String message) {
        super(message);
    }

    public String message() {
        return String.valueOf(getMessage());
    }
}
