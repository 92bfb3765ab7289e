package dev.ash.protocol;

import java.util.Set;

/** Which environment variables may be in a sandbox, and which nobody but Ash may set there. */
public final class SandboxEnvironment {
    /**
     * The only names taken from the host; {@code HOME} passes with a value of ours, and {@code
     * ANTHROPIC_API_KEY} with a placeholder, for no sandbox holds a real key.
     */
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

    /** How a sandbox reaches the model; a key of one's own is stored as a credential instead. */
    private static final Set<String> MODEL =
            Set.of(
                    "ANTHROPIC_API_KEY",
                    "ANTHROPIC_AUTH_TOKEN",
                    "ANTHROPIC_BASE_URL",
                    "ANTHROPIC_UNIX_SOCKET",
                    "CLAUDE_CODE_OAUTH_TOKEN");

    /** Whether it is one of the names by which an engine finds its model. */
    public static boolean isOfModel(String name) {
        return MODEL.contains(name);
    }

    /** Whether a client's {@code env} or {@code extraEnv} may carry this name. */
    public static boolean mayBeSetByClients(String name) {
        return !name.isEmpty()
                && name.indexOf('=') < 0
                && name.indexOf('\0') < 0
                && !RESERVED.contains(name)
                && !MODEL.contains(name)
                && !name.startsWith("ASH_")
                && !name.startsWith("LD_");
    }

    private SandboxEnvironment() {}
}
