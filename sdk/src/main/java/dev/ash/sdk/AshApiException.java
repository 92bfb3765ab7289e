package dev.ash.sdk;

import dev.ash.protocol.ErrorCode;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** An error response of the server: HTTP status, error code and message. */
public final class AshApiException extends AshException {
    private static final long serialVersionUID = 1L;

    private final int status;
    private final @Nullable String code;
    private final @Nullable String sessionId;

    public AshApiException(
            int status, @Nullable String code, String message, @Nullable String sessionId) {
        this(status, code, message, sessionId, null);
    }

    AshApiException(
            int status,
            @Nullable String code,
            String message,
            @Nullable String sessionId,
            @Nullable Throwable cause) {
        super(message, cause);
        this.status = status;
        this.code = code;
        this.sessionId = sessionId;
    }

    public int status() {
        return status;
    }

    /**
     * Returns the error code as text, because newer servers may use codes unknown to this build.
     */
    public Optional<String> code() {
        return Optional.ofNullable(code);
    }

    public boolean is(ErrorCode expected) {
        return expected.name().equals(code);
    }

    /** Returns the session that a failed create left behind; it can be resumed. */
    public Optional<String> sessionId() {
        return Optional.ofNullable(sessionId);
    }
}
