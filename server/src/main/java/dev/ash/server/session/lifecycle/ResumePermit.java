package dev.ash.server.session.lifecycle;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.server.session.store.SessionRow;

/**
 * Permits a request to resume a failed session once. A sandbox that exits right after its start
 * fails the request instead of being restarted repeatedly. Not thread-safe.
 */
public final class ResumePermit {
    private boolean used;

    /** Throws if this request has already resumed the session. */
    void use(SessionRow failed) {
        if (used) {
            throw new ApiException(
                    ErrorCode.SANDBOX_FAILED,
                    "The sandbox of the session failed again right after its start: %s. The next"
                                    .formatted(failed.error())
                            + " message starts it again");
        }
        used = true;
    }
}
