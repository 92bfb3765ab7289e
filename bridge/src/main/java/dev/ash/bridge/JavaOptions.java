package dev.ash.bridge;

import dev.ash.protocol.Limits;
import java.util.ArrayList;
import java.util.Map;
import java.util.Optional;

/**
 * The {@code JAVA_TOOL_OPTIONS} for Java programs in the sandbox: the memory limit, because a JVM
 * cannot see the limit of the sandbox and would size its heap by the host's memory; and the proxy,
 * because the JDK ignores the usual environment variables.
 */
final class JavaOptions {
    static Optional<String> of(Map<String, String> variables) {
        var options = new ArrayList<String>();
        var memory = variables.getOrDefault("ASH_SANDBOX_MEMORY_MB", "");
        if (!memory.isEmpty()) {
            options.add("-XX:MaxRAM=" + memory + "m");
        }
        if (variables.containsKey("ASH_EGRESS_SOCKET")) {
            for (var scheme : new String[] {"http", "https"}) {
                options.add("-D" + scheme + ".proxyHost=127.0.0.1");
                options.add("-D" + scheme + ".proxyPort=" + Limits.EGRESS_PORT);
            }
        }
        return options.isEmpty() ? Optional.empty() : Optional.of(String.join(" ", options));
    }

    private JavaOptions() {}
}
