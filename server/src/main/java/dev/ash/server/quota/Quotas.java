package dev.ash.server.quota;

import dev.ash.protocol.TenantId;
import dev.ash.server.event.LogLimit;
import java.time.Duration;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * The settings of this package; see docs/configuration.md. Without them nothing is limited, and
 * everything is kept.
 *
 * @param sessions not ended
 * @param sandboxes that run or start
 * @param log of one session
 * @param retention how long an ended session is kept; empty for ever
 */
public record Quotas(
        TenantLimit sessions,
        TenantLimit sandboxes,
        TenantLimit agents,
        TenantLimit storageMb,
        LogLimit log,
        Optional<Duration> retention) {
    public static final Quotas NONE =
            new Quotas(
                    TenantLimit.NONE,
                    TenantLimit.NONE,
                    TenantLimit.NONE,
                    TenantLimit.NONE,
                    LogLimit.NONE,
                    Optional.empty());

    static final long MB = 1024 * 1024;

    /**
     * Reads the settings.
     *
     * @param text a setting, if it is set
     * @param positive a setting that is a whole number from 1 to the number given; 0 if it is not
     *     set
     */
    public static Quotas read(
            Function<String, Optional<String>> text,
            BiFunction<String, Integer, Integer> positive) {
        int days = positive.apply("ASH_RETENTION_DAYS", 36_500);
        int logMb = positive.apply("ASH_SESSION_LOG_MB", 1_000_000);
        return new Quotas(
                limit(text, "ASH_TENANT_MAX_SESSIONS"),
                limit(text, "ASH_TENANT_MAX_SANDBOXES"),
                limit(text, "ASH_TENANT_MAX_AGENTS"),
                limit(text, "ASH_TENANT_MAX_STORAGE_MB"),
                logMb == 0 ? LogLimit.NONE : new LogLimit(logMb * MB),
                days == 0 ? Optional.empty() : Optional.of(Duration.ofDays(days)));
    }

    private static TenantLimit limit(Function<String, Optional<String>> text, String name) {
        return text.apply(name)
                .map(value -> TenantLimit.parse(name, value))
                .orElse(TenantLimit.NONE);
    }

    /** How many sandboxes a tenant may have, for the pool. */
    public int sandboxesOf(TenantId tenant) {
        return (int) Math.min(Integer.MAX_VALUE, sandboxes.of(tenant));
    }
}
