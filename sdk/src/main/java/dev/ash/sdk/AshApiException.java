package dev.ash.sdk;

import dev.ash.protocol.ErrorCode;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The server's refusal: its HTTP status, its code for programs and its message for people. */
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

    /** As text, because a newer server may have codes that this build does not know. */
    public Optional<String> code() {
        return Optional.ofNullable(code);
    }

    public boolean is(ErrorCode expected) {
        return expected.name().equals(code);
    }

    /** The session that a failed create left behind, ready to be resumed. */
    public Optional<String> sessionId() {
        return Optional.ofNullable(sessionId);
    }
}
