package dev.ash.protocol.engine;

import java.util.Locale;

/** The code in the bridge that runs an engine. One driver can run several engines. */
public enum EngineDriver {
    /** Claude Code's stream of JSON lines with control requests. */
    CLAUDE,
    /** The JSON-RPC protocol of {@code codex app-server}. */
    CODEX,
    /** The Agent Client Protocol, version 1. */
    ACP,
    /** A program that gets a prompt, prints text and exits. */
    COMMAND,
    /** The built-in demo. */
    DEMO;

    /** Returns the name in configuration and in the API. */
    public String wire() {
        return name().toLowerCase(Locale.ROOT);
    }
}
