package dev.ash.server.session;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import java.util.Map;
import java.util.Optional;

/**
 * Chooses the engine of a session: the session's wish, the agent's, the server's, then by what is
 * there.
 */
public final class Engines {
    private static final Map<String, String> NAMES =
            Map.of("claude", "claude", "claude-code", "claude", "demo", "demo", "auto", "auto");

    private final String wish;
    private final boolean claudeUsable;

    /** {@code claudeUsable}: the program and a credential are there. */
    public Engines(String wish, boolean claudeUsable) {
        this.wish = wish;
        this.claudeUsable = claudeUsable;
    }

    String choose(Optional<String> ofSession, Optional<String> ofAgent) {
        var chosen = known(ofSession.or(() -> ofAgent).orElse(wish));
        return chosen.equals("auto") ? auto() : chosen;
    }

    /** What a session without a wish gets. */
    public String byDefault() {
        return choose(Optional.empty(), Optional.empty());
    }

    private String auto() {
        return claudeUsable ? "claude" : "demo";
    }

    private static String known(String name) {
        var engine = NAMES.get(name);
        if (engine == null) {
            throw new ApiException(
                    ErrorCode.VALIDATION_FAILED,
                    "engine: \"%s\" is not known; there are claude, demo and auto".formatted(name));
        }
        return engine;
    }
}
