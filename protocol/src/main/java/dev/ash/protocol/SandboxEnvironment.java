package dev.ash.protocol;

import java.util.Set;

/** Which environment variables may be in a sandbox, and which nobody but Ash may set there. */
public final class SandboxEnvironment {
    /** The only names taken from the host; {@code HOME} passes with a value of ours. */
    public static final Set<String> FROM_HOST =
            Set.of(
                    "PATH",
                    "NODE_PATH",
                    "HOME",
                    "LANG",
                    "TERM",
                    "ANTHROPIC_API_KEY",
                    "ASH_DEBUG_TIMING");

    private static final Set<String> RESERVED =
            Set.of("PATH", "HOME", "NODE_OPTIONS", "JAVA_TOOL_OPTIONS");

    /** Whether a client's {@code env} or {@code extraEnv} may carry this name. */
    public static boolean mayBeSetByClients(String name) {
        return !name.isEmpty()
                && name.indexOf('=') < 0
                && name.indexOf('\0') < 0
                && !RESERVED.contains(name)
                && !name.startsWith("ASH_")
                && !name.startsWith("LD_");
    }

    private SandboxEnvironment() {}
}
