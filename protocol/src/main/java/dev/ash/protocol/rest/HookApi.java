package dev.ash.protocol.rest;

import java.util.List;

/** Answers below {@code /api/hooks}. */
public interface HookApi {
    record Sessions(List<TerminalSession> sessions) {}

    /**
     * A session that runs in somebody's own terminal, known by its hooks.
     *
     * @param directory where it works; empty where no hook told
     * @param title the beginning of its first prompt; before that, the name of its folder
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
