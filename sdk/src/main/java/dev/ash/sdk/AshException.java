package dev.ash.sdk;

import org.jspecify.annotations.Nullable;

/** A failed API call. The subclasses are the cases that callers may handle differently. */
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

    /** Returns the problem and its remedy; never null. */
    @Override
    public String getMessage() {
        return message;
    }
}
