package dev.ash.sdk;

import org.jspecify.annotations.Nullable;

/** A call that did not succeed; its kinds are all a caller has to tell apart. */
public abstract sealed class AshException extends RuntimeException
        permits AshApiException,
                ServerUnreachableException,
                UntrustedServerException,
                ConnectionLostException {
    private static final long serialVersionUID = 1L;

    private final String sentence;

    AshException(String sentence, @Nullable Throwable cause) {
        super(sentence, cause);
        this.sentence = sentence;
    }

    /** What went wrong and what to do, for people. */
    public String sentence() {
        return sentence;
    }
}
