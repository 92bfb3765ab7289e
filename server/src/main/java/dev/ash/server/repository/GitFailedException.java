package dev.ash.server.repository;

/** Git could not do it; the message is a sentence for people. */
public final class GitFailedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    GitFailedException(String sentence) {
        super(sentence);
    }
}
