package dev.ash.protocol;

import org.jspecify.annotations.Nullable;

/** The exception for all failures that clients see: a code for programs, a message for people. */
public final class ApiException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final ErrorCode code;

    public ApiException(ErrorCode code, String message) {
        this(code, message, null);
    }

    public ApiException(ErrorCode code, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.code = code;
    }

    /** Returns the error for an invalid request field, with the message {@code field: rule}. */
    public static ApiException invalid(String field, String rule) {
        return new ApiException(ErrorCode.VALIDATION_FAILED, field + ": " + rule);
    }

    /**
     * Returns the failure if it is an {@code ApiException}, and an {@link ErrorCode#INTERNAL} error
     * otherwise. Every entry point calls this, so that the text of an unexpected failure never
     * reaches a client.
     */
    public static ApiException from(Throwable failure) {
        return failure instanceof ApiException known
                ? known
                : new ApiException(
                        ErrorCode.INTERNAL,
                        "Internal server error; see the server log for details",
                        failure);
    }

    public ErrorCode code() {
        return code;
    }

    /** Returns the message for people; unlike {@link #getMessage()}, never null. */
    public String message() {
        var message = getMessage();
        return message == null ? code.name() : message;
    }
}
