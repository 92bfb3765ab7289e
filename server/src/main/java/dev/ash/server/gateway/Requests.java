package dev.ash.server.gateway;

import java.util.Map;
import java.util.Optional;

/** Requests that the published protocol does not have. */
final class Requests {
    private static final Map<String, Capability> BEYOND =
            Map.of(
                    "interrupt", Capability.INTERRUPT,
                    "permission_mode", Capability.PERMISSION_MODE,
                    "history_request", Capability.HISTORY,
                    "question_response", Capability.QUESTIONS,
                    "plan_review_response", Capability.QUESTIONS);

    /** What a device must have said to make such a request. */
    static Optional<Capability> needed(String type) {
        return Optional.ofNullable(BEYOND.get(type));
    }

    private Requests() {}
}
