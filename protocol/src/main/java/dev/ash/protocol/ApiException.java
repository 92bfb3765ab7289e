package dev.ash.protocol;

import org.jspecify.annotations.Nullable;

/** The one exception that features throw: a code for programs, a sentence for people. */
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

    /** A request field that broke its rule: {@code name: must be …}. */
    public static ApiException invalid(String field, String rule) {
        return new ApiException(ErrorCode.VALIDATION_FAILED, field + ": " + rule);
    }

    /** Every door starts here, so that the text of an unforeseen failure never reaches a client. */
    public static ApiException known(Throwable failure) {
        return failure instanceof ApiException known
                ? known
                : new ApiException(
                        ErrorCode.INTERNAL,
                        "Something failed inside the server; its log has the details",
                        failure);
    }

    public ErrorCode code() {
        return code;
    }

    /** The sentence for people; never null, unlike {@link #getMessage()} by its type. */
    public String sentence() {
        var message = getMessage();
        return message == null ? code.name() : message;
    }
}
