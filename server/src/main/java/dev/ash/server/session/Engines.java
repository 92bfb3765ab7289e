package dev.ash.server.session;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import java.util.List;
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
    private final boolean hasClaude;
    private final boolean hasCredential;

    /** Whether the program of Claude Code is there, and a credential of the server's own for it. */
    public Engines(String wish, boolean hasClaude, boolean hasCredential) {
        this.wish = wish;
        this.hasClaude = hasClaude;
        this.hasCredential = hasCredential;
    }

    String choose(Optional<String> ofSession, Optional<String> ofAgent, boolean bringsCredential) {
        var chosen = known(ofSession.or(() -> ofAgent).orElse(wish));
        return chosen.equals("auto") ? auto(bringsCredential) : chosen;
    }

    /** The engines that can be had, by the names that devices know. */
    public List<String> available() {
        return hasClaude ? List.of("claude-code", "demo") : List.of("demo");
    }

    /** What a session without a wish gets. */
    public String byDefault() {
        return choose(Optional.empty(), Optional.empty(), false);
    }

    private String auto(boolean bringsCredential) {
        return hasClaude && (hasCredential || bringsCredential) ? "claude" : "demo";
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
