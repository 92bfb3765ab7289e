package dev.ash.server;

import dev.ash.protocol.Excerpt;
import dev.ash.protocol.NearMiss;
import dev.ash.protocol.engine.EngineProfile;
import dev.ash.protocol.engine.EngineTable;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Lists all setting names and warns about names that have no effect. */
final class SettingNames {
    private static final String PREFIX = "ASH_";
    private static final int MAX_WARNINGS = 20;
    private static final int MAX_NAME = 80;

    private static final Set<String> OWN =
            Set.of(
                    "ASH_AGENT_ROOTS",
                    "ASH_ALLOWED_HOSTS",
                    "ASH_ALLOWED_ORIGINS",
                    "ASH_API_KEY",
                    "ASH_APPROVAL_TTL_MS",
                    "ASH_BRIDGE_COMMAND",
                    "ASH_BRIDGE_GRACE_MS",
                    "ASH_DATABASE_URL",
                    "ASH_DEBUG_TIMING",
                    "ASH_DISK_LIMITS",
                    "ASH_DISK_RESERVE_MB",
                    "ASH_ENGINE",
                    "ASH_ENGINES",
                    "ASH_ENGINE_START",
                    "ASH_GATEWAY",
                    "ASH_GATEWAY_CERT",
                    "ASH_GATEWAY_HOST",
                    "ASH_GATEWAY_KEY",
                    "ASH_GATEWAY_MAX_CONNECTIONS_PER_ADDRESS",
                    "ASH_GATEWAY_MAX_CONNECTIONS_PER_DEVICE",
                    "ASH_GATEWAY_MAX_UNAUTHENTICATED_PER_ADDRESS",
                    "ASH_GATEWAY_PORT",
                    "ASH_GATEWAY_PUBLIC",
                    "ASH_GATEWAY_URL",
                    "ASH_HEAP_MB",
                    "ASH_HOOK_SILENCE_MS",
                    "ASH_HOOK_TOKEN",
                    "ASH_HOOK_WAIT_MS",
                    "ASH_HOST",
                    "ASH_IDLE_TIMEOUT_MS",
                    "ASH_INSECURE_HTTP",
                    "ASH_MAX_SANDBOXES",
                    "ASH_MAX_SANDBOX_CPU_PERCENT",
                    "ASH_MAX_SANDBOX_DISK_MB",
                    "ASH_MAX_SANDBOX_MEMORY_MB",
                    "ASH_MAX_SANDBOX_PIDS",
                    "ASH_MODE",
                    "ASH_MODEL_REQUESTS",
                    "ASH_NETWORK_ALLOW",
                    "ASH_NETWORK_MAY_OPEN",
                    "ASH_PORT",
                    "ASH_PREWARM",
                    "ASH_PRICES",
                    "ASH_PROJECT_ROOTS",
                    "ASH_PROVIDER_TOOLS",
                    "ASH_RATE_LIMIT_PER_MINUTE",
                    "ASH_REQUIRE_ISOLATION",
                    "ASH_RETENTION_DAYS",
                    "ASH_SANDBOX_CPU_PERCENT",
                    "ASH_SANDBOX_DISK_MB",
                    "ASH_SANDBOX_MEMORY_MB",
                    "ASH_SANDBOX_PIDS",
                    "ASH_SESSION_LOG_MB",
                    "ASH_TENANT_MAX_AGENTS",
                    "ASH_TENANT_MAX_SANDBOXES",
                    "ASH_TENANT_MAX_SESSIONS",
                    "ASH_TENANT_MAX_STORAGE_MB",
                    "ASH_TLS",
                    "ASH_TLS_CERT",
                    "ASH_TLS_KEY",
                    "ASH_TRUSTED_PROXIES",
                    "ASH_TUNNEL_PROXIES",
                    "ALLOWED_ORIGINS");

    /** Settings that the environment or {@code config.json} can set. */
    static final Set<String> SERVER =
            Stream.concat(
                            OWN.stream(),
                            EngineTable.builtIn().all().stream()
                                    .flatMap(profile -> profile.program().stream())
                                    .map(EngineProfile.Program::variable))
                    .collect(Collectors.toUnmodifiableSet());

    /** Shorter names in {@code config.json} of settings that are JSON objects. */
    static final Map<String, String> IN_FILE = Map.of("engines", "ASH_ENGINES");

    /** Settings that only the environment can set. */
    private static final Set<String> ENVIRONMENT = Set.of("ASH_DATA_DIR", "ASH_PAIR_DIR");

    /**
     * Variables of other programs that a server's environment may contain: the command line, start
     * scripts, and a bridge if the server runs inside a sandbox.
     */
    private static final Set<String> OTHERS =
            Set.of(
                    "ASH_AGENT_DIR",
                    "ASH_BRIDGE_NONCE",
                    "ASH_BRIDGE_NONCE_FD",
                    "ASH_BRIDGE_PEERS",
                    "ASH_BRIDGE_SOCKET",
                    "ASH_COMMAND_ID",
                    "ASH_DEBUG",
                    "ASH_EGRESS_PORT",
                    "ASH_EGRESS_SOCKET",
                    "ASH_JAVA",
                    "ASH_MODEL_KEY",
                    "ASH_MODEL_SOCKET",
                    "ASH_NO_AOT",
                    "ASH_NO_INSTALL",
                    "ASH_PROJECT",
                    "ASH_RECONNECT_MS",
                    "ASH_SANDBOX_ID",
                    "ASH_SERVER_FINGERPRINT",
                    "ASH_SERVER_URL",
                    "ASH_SESSION_ID",
                    "ASH_SOURCE",
                    "ASH_STORE_PASSWORD",
                    "ASH_WORKSPACE_DIR");

    private static final List<String> OTHER_PREFIXES =
            List.of("ASH_TEST_", "ASH_E2E_", "ASH_BENCH_");

    /** Settings of other Ash implementations, with their replacement. */
    private static final Map<String, String> FOREIGN =
            Map.ofEntries(
                    Map.entry("ASH_BRIDGE_ENTRY", "use ASH_BRIDGE_COMMAND"),
                    Map.entry(
                            "ASH_CREDENTIAL_KEY",
                            "the server keeps its own key in sealing-key of the data directory"),
                    Map.entry("ASH_INTERNAL_SECRET", "runners are not available yet"),
                    Map.entry("ASH_RUNNER_ID", "runners are not available yet"),
                    Map.entry("ASH_RUNNER_PORT", "runners are not available yet"),
                    Map.entry("ASH_SNAPSHOT_URL", "snapshots are not available yet"),
                    Map.entry("ASH_S3_REGION", "snapshots are not available yet"),
                    Map.entry(
                            "ASH_PERMISSION_MODE",
                            "set permissionMode in .ash/agent.json or for a session"),
                    Map.entry("ASH_REAL_SDK", "use ASH_ENGINE"),
                    Map.entry("ASH_SANDBOX_UID", "each sandbox has a user id of its own"),
                    Map.entry("ASH_SANDBOX_GID", "each sandbox has a group id of its own"));

    /** Returns a warning for each name in the environment or the file that has no effect. */
    static List<String> warnings(
            Collection<String> environment, Collection<String> inFile, Path file) {
        var warnings = new ArrayList<String>();
        for (var name : new TreeSet<>(environment)) {
            if (name.startsWith(PREFIX) && !isKnown(name)) {
                warnings.add(
                        "%s is not a setting and has no effect%s"
                                .formatted(printable(name), hint(name)));
            }
        }
        for (var name : new TreeSet<>(inFile)) {
            if (!SERVER.contains(name)) {
                warnings.add(
                        "%s: \"%s\" %s%s"
                                .formatted(
                                        file,
                                        printable(name),
                                        ENVIRONMENT.contains(name)
                                                ? "has no effect there; set it in the environment"
                                                : "is not a setting and has no effect",
                                        ENVIRONMENT.contains(name) ? "" : hint(name)));
            }
        }
        if (warnings.size() > MAX_WARNINGS) {
            int more = warnings.size() - MAX_WARNINGS;
            warnings.subList(MAX_WARNINGS, warnings.size()).clear();
            warnings.add("%,d more names in the settings have no effect".formatted(more));
        }
        return warnings;
    }

    static boolean isKnown(String name) {
        return SERVER.contains(name)
                || ENVIRONMENT.contains(name)
                || OTHERS.contains(name)
                || OTHER_PREFIXES.stream().anyMatch(name::startsWith);
    }

    private static String hint(String name) {
        var foreign = FOREIGN.get(name);
        if (foreign != null) {
            return "; " + foreign;
        }
        // Compare without the prefix, which would make all names similar.
        var known =
                Stream.concat(SERVER.stream(), ENVIRONMENT.stream())
                        .map(SettingNames::withoutPrefix)
                        .toList();
        return NearMiss.of(withoutPrefix(name), known)
                .map(near -> "; did you mean %s?".formatted(withPrefix(near)))
                .orElse("; docs/configuration.md lists all settings");
    }

    private static String withoutPrefix(String name) {
        return name.regionMatches(true, 0, PREFIX, 0, PREFIX.length())
                ? name.substring(PREFIX.length())
                : name;
    }

    private static String withPrefix(String name) {
        boolean hasPrefix = SERVER.contains(PREFIX + name) || ENVIRONMENT.contains(PREFIX + name);
        return hasPrefix ? PREFIX + name : name;
    }

    private static String printable(String name) {
        return Excerpt.of(name.replaceAll("\\p{Cntrl}", "?"), MAX_NAME);
    }

    private SettingNames() {}
}
