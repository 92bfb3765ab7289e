package dev.ash.server;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The environment variables that the server sets in every sandbox, besides the names taken from the
 * host and the ones that tell a bridge where it is. docs/configuration.md has the whole table.
 */
final class SandboxVariables {
    private static final Map<String, String> ALWAYS =
            Map.of(
                    "IS_SANDBOX", "1",
                    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1",
                    "DISABLE_TELEMETRY", "1",
                    "DISABLE_AUTOUPDATER", "1",
                    "CLAUDE_CODE_ENTRYPOINT", "sdk-java");

    /** Where the model is and how to reach it, for servers that do not use the public one. */
    private static final List<String> WHERE_SET =
            List.of("ANTHROPIC_BASE_URL", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN");

    /** {@code bridgeGrace}: how long a bridge waits for another server. */
    static Map<String, String> from(Map<String, String> environment, Duration bridgeGrace) {
        var variables = new TreeMap<>(ALWAYS);
        variables.put("ASH_BRIDGE_GRACE_MS", Long.toString(bridgeGrace.toMillis()));
        for (var name : WHERE_SET) {
            var value = environment.get(name);
            if (value != null && !value.isBlank()) {
                variables.put(name, value);
            }
        }
        return variables;
    }

    private SandboxVariables() {}
}
