package dev.ash.server;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.server.egress.model.PriceTable;
import dev.ash.server.session.turn.TurnRoutes;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/**
 * The settings of sessions, their turns and their approvals.
 *
 * @param idleTimeout how long a session is idle before it sleeps
 * @param approvalTtl how long an approval waits for its answer; empty for no limit
 * @param strictModelRequests whether model requests with unknown fields are rejected
 * @param prices the operator's prices of models; empty for those of this build
 */
record SessionSettings(
        Duration idleTimeout,
        Optional<Duration> approvalTtl,
        boolean strictModelRequests,
        Optional<PriceTable> prices,
        TurnRoutes.Timings timings) {

    static SessionSettings read(Settings settings) {
        return new SessionSettings(
                settings.millis("ASH_IDLE_TIMEOUT_MS", 300_000, 100),
                settings.text("ASH_APPROVAL_TTL_MS")
                        .map(_ -> settings.millis("ASH_APPROVAL_TTL_MS", 0, 1000)),
                strictModelRequests(settings),
                settings.text(PriceSetting.NAME).map(PriceSetting::parse),
                settings.isOn("ASH_DEBUG_TIMING")
                        ? TurnRoutes.Timings.PRINTED
                        : TurnRoutes.Timings.OFF);
    }

    private static boolean strictModelRequests(Settings settings) {
        var value = settings.text("ASH_MODEL_REQUESTS").orElse("known");
        if (!Set.of("known", "strict").contains(value)) {
            throw new ApiException(
                    ErrorCode.VALIDATION_FAILED,
                    "ASH_MODEL_REQUESTS is \"%s\"; it must be strict, or not be set"
                            .formatted(value));
        }
        return value.equals("strict");
    }
}
