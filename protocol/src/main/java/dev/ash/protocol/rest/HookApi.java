package dev.ash.protocol.rest;

import java.util.List;

/** Responses of {@code /api/hooks}. */
public interface HookApi {
    record Sessions(List<TerminalSession> sessions) {}

    /**
     * A session in a user's own terminal, reported by hooks.
     *
     * @param directory its working directory; empty if no hook has reported it
     * @param title the beginning of its first prompt; before that, the name of its directory
     * @param status {@code active} or {@code ended}
     */
    record TerminalSession(
            String id,
            String directory,
            String title,
            @FieldSchema(values = {"active", "ended"}) String status,
            String createdAt,
            String lastSeenAt) {}
}
