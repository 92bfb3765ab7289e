package dev.ash.sdk;

import org.jspecify.annotations.Nullable;

/** A call that did not succeed; its kinds are all a caller has to tell apart. */
public abstract sealed class AshException extends RuntimeException
        permits AshApiException,
                ServerUnreachableException,
                UntrustedServerException,
                ConnectionLostException {
    private static final long serialVersionUID = 1L;

    private final String message;

    AshException(String message, @Nullable Throwable cause) {
        super(message, cause);
        this.message = message;
    }

    /** What went wrong and what to do, for people. */
    public String message() {
        return message;
    }
}
