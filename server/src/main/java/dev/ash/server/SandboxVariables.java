package dev.ash.server;

import java.time.Duration;
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

    /** {@code bridgeGrace}: how long a bridge waits for another server. */
    static Map<String, String> of(Duration bridgeGrace) {
        var variables = new TreeMap<>(ALWAYS);
        variables.put("ASH_BRIDGE_GRACE_MS", Long.toString(bridgeGrace.toMillis()));
        return variables;
    }

    private SandboxVariables() {}
}
