package dev.ash.server.event;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.server.event.NewEvent.BridgePosition;
import org.jspecify.annotations.Nullable;

/** Limits the size of a session's log. Events that end a turn are always logged. */
public record LogLimit(long bytes) {
    public static final LogLimit NONE = new LogLimit(Long.MAX_VALUE);

    private static final int MB = 1024 * 1024;

    /** Returns the error for a session whose log is full. */
    public ApiException logFull() {
        return new ApiException(
                ErrorCode.SESSION_LOG_FULL,
                "The log of this session has reached its limit of %d MB (ASH_SESSION_LOG_MB). Create a new session, or fork this one at an earlier turn; DELETE /api/sessions/{id}?purge=true removes this log."
                        .formatted(bytes / MB));
    }

    /** The ids of other askers, hooks and pairs, contain a colon. */
    private static boolean isFromSandbox(@Nullable BridgePosition position) {
        return position != null && position.bridgeId().indexOf(':') < 0;
    }

    /** Whether the limit applies: to events that a client or a bridge can send without bound. */
    static boolean appliesTo(NewEvent event) {
        return switch (event.type()) {
            case PROMPT -> true;
            case MESSAGE, APPROVAL_REQUIRED -> isFromSandbox(event.position());
            case ERROR, DONE, LIFECYCLE, APPROVAL_RESOLVED, NETWORK_BLOCKED, HOOK -> false;
        };
    }
}
