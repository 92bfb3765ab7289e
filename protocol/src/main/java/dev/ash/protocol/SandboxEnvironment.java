package dev.ash.protocol;

import java.util.Set;

/** Rules for the environment variables of a sandbox: their sources, and reserved names. */
public final class SandboxEnvironment {
    /**
     * The only variables inherited from the host. {@code HOME} is set to the sandbox's own home,
     * and {@code ANTHROPIC_API_KEY} to a placeholder, because no sandbox contains a real key.
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

    /** Variables that configure access to the model; clients store a credential instead. */
    private static final Set<String> MODEL =
            Set.of(
                    "ANTHROPIC_API_KEY",
                    "ANTHROPIC_AUTH_TOKEN",
                    "ANTHROPIC_BASE_URL",
                    "ANTHROPIC_UNIX_SOCKET",
                    "CLAUDE_CODE_OAUTH_TOKEN",
                    "OPENAI_API_KEY",
                    "OPENAI_BASE_URL",
                    "OPENAI_HOST",
                    "GEMINI_API_KEY",
                    "GOOGLE_GEMINI_BASE_URL");

    /** Returns whether the variable configures an engine's access to its model. */
    public static boolean isModelVariable(String name) {
        return MODEL.contains(name);
    }

    /** Returns whether a client's {@code env} or {@code extraEnv} may contain this name. */
    public static boolean isSettableByClients(String name) {
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
