package dev.ash.server;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.rest.ResourceLimits;
import dev.ash.sandbox.disk.DiskSettings;
import dev.ash.sandbox.disk.DiskSettings.Mode;
import dev.ash.server.egress.model.request.ProviderTools;
import dev.ash.server.isolation.IsolationRules;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The settings of sandboxes: how many there may be, their isolation and their limits.
 *
 * @param prewarmCount the number of warm sandboxes of an agent that configures none itself
 * @param requireIsolation whether the server refuses to start without full isolation and limits
 */
record SandboxSettings(
        int maxCount,
        int prewarmCount,
        boolean requireIsolation,
        IsolationRules isolation,
        DiskSettings disk) {
    private static final int MAX = 1_000_000_000;

    /** The default maximum of a session's limits, as a multiple of the default limits. */
    private static final int FACTOR = 4;

    static SandboxSettings read(Settings settings) {
        return new SandboxSettings(
                settings.number("ASH_MAX_SANDBOXES", 100, 1, 100_000),
                settings.number("ASH_PREWARM", 2, 0, 100),
                settings.isOn("ASH_REQUIRE_ISOLATION"),
                isolation(settings),
                disk(settings));
    }

    private static DiskSettings disk(Settings settings) {
        var value = settings.text("ASH_DISK_LIMITS").orElse("auto");
        var mode =
                switch (value) {
                    case "auto" -> Mode.AUTO;
                    case "image" -> Mode.IMAGE;
                    case "watch" -> Mode.WATCH;
                    default ->
                            throw new ApiException(
                                    ErrorCode.VALIDATION_FAILED,
                                    "ASH_DISK_LIMITS is \"%s\"; it must be auto, image or watch"
                                            .formatted(value));
                };
        var reserve =
                settings.text("ASH_DISK_RESERVE_MB")
                        .map(_ -> settings.number("ASH_DISK_RESERVE_MB", 0, 0, MAX));
        return new DiskSettings(mode, reserve.orElse(null));
    }

    private static IsolationRules isolation(Settings settings) {
        var limits = limits(settings, "ASH_SANDBOX_", ResourceLimits.DEFAULT, 1);
        return new IsolationRules(
                limits,
                limits(settings, "ASH_MAX_SANDBOX_", limits, FACTOR),
                List.copyOf(settings.list("ASH_NETWORK_ALLOW")),
                settings.isOn("ASH_NETWORK_MAY_OPEN"),
                providerTools(settings));
    }

    /** An empty value permits none. */
    private static List<String> providerTools(Settings settings) {
        try {
            return settings.isSet("ASH_PROVIDER_TOOLS")
                    ? ProviderTools.validate(settings.list("ASH_PROVIDER_TOOLS"))
                    : List.of(ProviderTools.WEB_SEARCH);
        } catch (IllegalArgumentException e) {
            throw new ApiException(
                    ErrorCode.VALIDATION_FAILED, "ASH_PROVIDER_TOOLS " + e.getMessage());
        }
    }

    private static ResourceLimits limits(
            Settings settings, String prefix, ResourceLimits base, int factor) {
        return new ResourceLimits(
                settings.number(prefix + "MEMORY_MB", times(base.memoryMb(), factor), 64, MAX),
                settings.number(prefix + "CPU_PERCENT", times(base.cpuPercent(), factor), 1, MAX),
                settings.number(prefix + "PIDS", times(base.pids(), factor), 16, MAX),
                settings.number(prefix + "DISK_MB", times(base.diskMb(), factor), 1, MAX));
    }

    private static int times(@Nullable Integer value, int factor) {
        return (int) Math.min(MAX, (long) Objects.requireNonNullElse(value, 0) * factor);
    }
}
