package dev.ash.server.event;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.server.event.NewEvent.BridgePosition;
import org.jspecify.annotations.Nullable;

/** How large the log of one session may become. The events that end a turn are always logged. */
public record LogLimit(long bytes) {
    public static final LogLimit NONE = new LogLimit(Long.MAX_VALUE);

    private static final int MB = 1024 * 1024;

    /** Why a session whose log is full cannot go on, and what can be done. */
    public ApiException logFull() {
        return new ApiException(
                ErrorCode.SESSION_LOG_FULL,
                "The log of this session has reached its limit of %d MB (ASH_SESSION_LOG_MB). Create a new session, or fork this one at an earlier turn; DELETE /api/sessions/{id}?purge=true removes this log."
                        .formatted(bytes / MB));
    }

    /** Those who ask for hooks and pairs have names with a colon. */
    private static boolean isFromSandbox(@Nullable BridgePosition place) {
        return place != null && place.bridgeId().indexOf(':') < 0;
    }

    /** Whether the limit is for this event: what a client or a bridge sends without end. */
    static boolean appliesTo(NewEvent event) {
        return switch (event.type()) {
            case PROMPT -> true;
            case MESSAGE, APPROVAL_REQUIRED -> isFromSandbox(event.position());
            case ERROR, DONE, LIFECYCLE, APPROVAL_RESOLVED, NETWORK_BLOCKED, HOOK -> false;
        };
    }
}
