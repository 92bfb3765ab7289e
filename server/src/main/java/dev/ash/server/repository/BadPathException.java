package dev.ash.server.repository;

/** A path that cannot be shown; the message is a sentence for people. */
public final class BadPathException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    BadPathException(String sentence) {
        super(sentence);
    }
}
