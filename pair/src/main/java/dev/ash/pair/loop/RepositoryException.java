package dev.ash.pair.loop;

/** Something about the repository or a clone failed; the message is a sentence for people. */
public final class RepositoryException extends Exception {
    private static final long serialVersionUID = 1L;

    public RepositoryException(String sentence) {
        super(sentence);
    }

    public String sentence() {
        return String.valueOf(getMessage());
    }
}
