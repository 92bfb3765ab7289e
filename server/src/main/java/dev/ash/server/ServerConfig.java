package dev.ash.server;

import dev.ash.pair.run.RunFolders;
import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.Limits;
import dev.ash.protocol.engine.EngineName;
import dev.ash.protocol.engine.EngineProfiles;
import dev.ash.protocol.rest.ResourceLimits;
import dev.ash.sandbox.disk.DiskSettings;
import dev.ash.sandbox.disk.DiskSettings.Mode;
import dev.ash.server.egress.model.request.ProviderTools;
import dev.ash.server.gateway.GatewayConfig;
import dev.ash.server.hooks.HookTimes;
import dev.ash.server.http.HttpConfig;
import dev.ash.server.isolation.IsolationRules;
import dev.ash.server.project.Roots;
import dev.ash.server.quota.Quotas;
import dev.ash.server.secret.SecretFeature;
import dev.ash.server.session.SessionFeature;
import dev.ash.server.session.lifecycle.Prewarming;
import dev.ash.server.session.turn.TurnRoutes;
import dev.ash.server.store.Storage;
import dev.ash.server.tls.Certificates;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The settings of a server: see docs/configuration.md for each of them. */
record ServerConfig(
        String host,
        int port,
        Path dataDir,
        Optional<String> apiKey,
        int maxSandboxes,
        String engine,
        Map<EngineName, String> enginePrograms,
        List<String> bridgeCommand,
        boolean requireIsolation,
        Duration idleTimeout,
        Duration bridgeGrace,
        int preWarmCount,
        Optional<Duration> approvalTtl,
        Optional<String> hookToken,
        HookTimes hookTimes,
        boolean debugTiming,
        Set<String> allowedOrigins,
        Set<String> allowedHosts,
        int requestsPerMinute,
        IsolationRules walls,
        boolean strictModelRequests,
        Optional<Roots> projectRoots,
        Roots agentRoots,
        GatewayConfig gateway,
        TlsSettings tls,
        DiskSettings disk,
        Quotas quotas,
        Map<String, String> environment) {

    private static final int MAX_MS = Integer.MAX_VALUE;
    private static final int MAX = 1_000_000_000;

    /** How much more than by default a session may ask for, where nothing else is said. */
    private static final int FACTOR = 4;

    static ServerConfig from(Map<String, String> environment) {
        var dataDir = DataDir.choose(environment);
        var settings = Settings.of(environment, dataDir);
        UnsupportedSettings.reject(settings);
        settings.number("ASH_HEAP_MB", 512, 128, 1024 * 1024); // whoever starts this JVM applies it
        return new ServerConfig(
                settings.text("ASH_HOST").orElse("127.0.0.1"),
                settings.number("ASH_PORT", Limits.DEFAULT_PORT, 0, 65535),
                dataDir,
                settings.text("ASH_API_KEY"),
                settings.number("ASH_MAX_SANDBOXES", 100, 1, 100_000),
                engine(settings.text("ASH_ENGINE").orElse(EngineProfiles.AUTO)),
                enginePrograms(settings),
                settings.text("ASH_BRIDGE_COMMAND").map(ServerConfig::words).orElse(List.of()),
                settings.isOn("ASH_REQUIRE_ISOLATION"),
                Duration.ofMillis(settings.number("ASH_IDLE_TIMEOUT_MS", 300_000, 100, MAX_MS)),
                Duration.ofMillis(settings.number("ASH_BRIDGE_GRACE_MS", 60_000, 0, MAX_MS)),
                settings.number("ASH_PREWARM", 1, 0, 100),
                settings.text("ASH_APPROVAL_TTL_MS")
                        .map(
                                _ ->
                                        Duration.ofMillis(
                                                settings.number(
                                                        "ASH_APPROVAL_TTL_MS", 0, 1000, MAX_MS))),
                settings.text("ASH_HOOK_TOKEN"),
                new HookTimes(
                        Duration.ofMillis(settings.number("ASH_HOOK_WAIT_MS", 300_000, 0, MAX_MS)),
                        Duration.ofMillis(
                                settings.number("ASH_HOOK_SILENCE_MS", 7_200_000, 0, MAX_MS))),
                settings.isOn("ASH_DEBUG_TIMING"),
                settings.list("ASH_ALLOWED_ORIGINS", "ALLOWED_ORIGINS"),
                settings.list("ASH_ALLOWED_HOSTS"),
                settings.number("ASH_RATE_LIMIT_PER_MINUTE", 12_000, 0, MAX_MS),
                walls(settings),
                strictModelRequests(settings),
                settings.text(Roots.PROJECTS).map(text -> Roots.parse(Roots.PROJECTS, text)),
                Roots.parse(Roots.AGENTS, settings.text(Roots.AGENTS).orElse("")),
                GatewaySettings.read(settings),
                TlsSettings.read(
                        settings,
                        settings.text("ASH_HOST").orElse("127.0.0.1"),
                        settings.text("ASH_API_KEY")),
                disk(settings),
                Quotas.read(settings::text, settings::positive),
                environment);
    }

    Certificates certificates(Storage storage) {
        return new Certificates(
                dataDir,
                SecretFeature.certificatePasswords(storage.sealer()),
                tls.files(),
                gateway.files(),
                Duration.ofMinutes(1));
    }

    Prewarming prewarming(LocalSandboxes sandboxes) {
        return new Prewarming(sandboxes.runners(), sandboxes.engines(), walls, preWarmCount);
    }

    SessionFeature.Settings sessions() {
        return new SessionFeature.Settings(
                walls, strictModelRequests, idleTimeout, quotas.retention());
    }

    TurnRoutes.Timings timings() {
        return debugTiming ? TurnRoutes.Timings.PRINTED : TurnRoutes.Timings.OFF;
    }

    RunFolders runFolders() {
        var home = environment.getOrDefault("HOME", System.getProperty("user.home"));
        return RunFolders.of(environment, Path.of(home));
    }

    /** The listener of the REST API. */
    HttpConfig http() {
        return new HttpConfig(
                host,
                port,
                Limits.STALLED_READER,
                Duration.ofSeconds(5),
                allowedHosts,
                allowedOrigins,
                requestsPerMinute);
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

    private static IsolationRules walls(Settings settings) {
        var limits = limits(settings, "ASH_SANDBOX_", ResourceLimits.DEFAULT, 1);
        return new IsolationRules(
                limits,
                limits(settings, "ASH_MAX_SANDBOX_", limits, FACTOR),
                List.copyOf(settings.list("ASH_NETWORK_ALLOW")),
                settings.isOn("ASH_NETWORK_MAY_OPEN"),
                providerTools(settings));
    }

    /** Set to nothing, it permits none. */
    private static List<String> providerTools(Settings settings) {
        try {
            return settings.isSet("ASH_PROVIDER_TOOLS")
                    ? ProviderTools.checked(settings.list("ASH_PROVIDER_TOOLS"))
                    : List.of(ProviderTools.WEB_SEARCH);
        } catch (IllegalArgumentException e) {
            throw new ApiException(
                    ErrorCode.VALIDATION_FAILED, "ASH_PROVIDER_TOOLS " + e.getMessage());
        }
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

    private static ResourceLimits limits(
            Settings settings, String prefix, ResourceLimits otherwise, int factor) {
        return new ResourceLimits(
                settings.number(prefix + "MEMORY_MB", times(otherwise.memoryMb(), factor), 64, MAX),
                settings.number(
                        prefix + "CPU_PERCENT", times(otherwise.cpuPercent(), factor), 1, MAX),
                settings.number(prefix + "PIDS", times(otherwise.pids(), factor), 16, MAX),
                settings.number(prefix + "DISK_MB", times(otherwise.diskMb(), factor), 1, MAX));
    }

    private static int times(@Nullable Integer value, int factor) {
        return (int) Math.min(MAX, (long) Objects.requireNonNullElse(value, 0) * factor);
    }

    private static String engine(String name) {
        if (!name.equals(EngineProfiles.AUTO) && EngineProfiles.find(name).isEmpty()) {
            throw new ApiException(
                    ErrorCode.VALIDATION_FAILED,
                    "ASH_ENGINE is \"%s\"; it must be %s"
                            .formatted(name, EngineProfiles.choices("or")));
        }
        return name;
    }

    /** Paths of programs that were named, instead of found. */
    private static Map<EngineName, String> enginePrograms(Settings settings) {
        var programs = new HashMap<EngineName, String>();
        for (var profile : EngineProfiles.ALL) {
            profile.program()
                    .flatMap(program -> settings.text(program.variable()))
                    .ifPresent(path -> programs.put(profile.name(), path));
        }
        return Map.copyOf(programs);
    }

    private static List<String> words(String command) {
        return List.of(command.strip().split("\\s+"));
    }
}
