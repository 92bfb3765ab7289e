package dev.ash.server.quota;

import dev.ash.protocol.TenantId;
import dev.ash.server.event.LogLimit;
import java.time.Duration;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * The configured quotas and the retention of ended sessions; see docs/configuration.md. By default
 * nothing is limited or removed.
 *
 * @param sessions sessions that have not ended
 * @param sandboxes running or starting sandboxes
 * @param log size of the log of one session
 * @param retention how long ended sessions are retained; empty for unlimited
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
     * @param text returns a setting, if it is set
     * @param positive returns a setting that is a number from 1 to the given maximum; 0 if not set
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

    /** Returns the maximum number of sandboxes of a tenant. */
    public int sandboxesOf(TenantId tenant) {
        return (int) Math.min(Integer.MAX_VALUE, sandboxes.of(tenant));
    }
}
