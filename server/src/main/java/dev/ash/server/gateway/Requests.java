package dev.ash.server.gateway;

import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The requests of a device that is in, and those that the published protocol does not have. */
public final class Requests {
    private static final Map<String, Capability> BEYOND =
            Map.of(
                    "interrupt", Capability.INTERRUPT,
                    "permission_mode", Capability.PERMISSION_MODE,
                    "history_request", Capability.HISTORY,
                    "question_response", Capability.QUESTIONS,
                    "plan_review_response", Capability.QUESTIONS);

    private static final Set<String> TYPES =
            Set.of(
                    "session_start",
                    "session_end",
                    "message",
                    "interrupt",
                    "permission_mode",
                    "history_request",
                    "approval_response",
                    "question_response",
                    "plan_review_response",
                    "git_status_request",
                    "git_commit",
                    "git_diff",
                    "file_list",
                    "file_read",
                    "notification_ack");

    /** Every type of frame that is served; each names something of a tenant. */
    public static Set<String> types() {
        return TYPES;
    }

    /** What a device must have said to make such a request. */
    static Optional<Capability> needed(String type) {
        return Optional.ofNullable(BEYOND.get(type));
    }

    private Requests() {}
}
