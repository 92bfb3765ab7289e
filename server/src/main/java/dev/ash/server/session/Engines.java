package dev.ash.server.session;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Chooses the engine of a session: the session's wish, the agent's, the server's, then by what is
 * there.
 */
public final class Engines {
    private static final Map<String, String> NAMES =
            Map.of(
                    "claude", "claude",
                    "claude-code", "claude",
                    "codex", "codex",
                    "demo", "demo",
                    "auto", "auto");

    /** Whether an engine's program is there, and a credential of the server's own for it. */
    public record Found(boolean program, boolean credential) {
        public static final Found NOTHING = new Found(false, false);
    }

    private final String wish;
    private final Found claude;
    private final Found codex;

    public Engines(String wish, Found claude, Found codex) {
        this.wish = wish;
        this.claude = claude;
        this.codex = codex;
    }

    String choose(Optional<String> ofSession, Optional<String> ofAgent, boolean bringsCredential) {
        var chosen = known(ofSession.or(() -> ofAgent).orElse(wish));
        return chosen.equals("auto") ? auto(bringsCredential) : chosen;
    }

    /** The engines that can be had, by the names that devices know. */
    public List<String> available() {
        var names = new ArrayList<String>();
        if (claude.program()) {
            names.add("claude-code");
        }
        if (codex.program()) {
            names.add("codex");
        }
        names.add("demo");
        return List.copyOf(names);
    }

    /**
     * Why an engine cannot run on this server: its program or its key is missing. Empty if it can,
     * and for names of no engine.
     *
     * @param bringsCredential whether its agent has a stored key
     */
    Optional<String> missing(String name, boolean bringsCredential) {
        return switch (name) {
            case "claude", "claude-code" ->
                    missing(
                            "claude-code",
                            "claude",
                            "@anthropic-ai/claude-code",
                            "ANTHROPIC_API_KEY",
                            claude,
                            bringsCredential);
            case "codex" ->
                    missing(
                            "codex",
                            "codex",
                            "@openai/codex",
                            "OPENAI_API_KEY",
                            codex,
                            bringsCredential);
            default -> Optional.empty();
        };
    }

    private static Optional<String> missing(
            String engine,
            String program,
            String npm,
            String key,
            Found found,
            boolean bringsCredential) {
        if (!found.program()) {
            return Optional.of(
                    "%s is not installed on the server: the program \"%s\" was not found. Install it with 'npm install -g %s' and restart the server"
                            .formatted(engine, program, npm));
        }
        if (!found.credential() && !bringsCredential) {
            return Optional.of(
                    "%s has no key on the server: set %s for the server, or give the agent one of 'ash credentials'"
                            .formatted(engine, key));
        }
        return Optional.empty();
    }

    /** What a session without a wish gets. */
    public String byDefault() {
        return choose(Optional.empty(), Optional.empty(), false);
    }

    private String auto(boolean bringsCredential) {
        if (claude.program() && (claude.credential() || bringsCredential)) {
            return "claude";
        }
        return codex.program() && (codex.credential() || bringsCredential) ? "codex" : "demo";
    }

    private static String known(String name) {
        var engine = NAMES.get(name);
        if (engine == null) {
            throw new ApiException(
                    ErrorCode.VALIDATION_FAILED,
                    "engine: \"%s\" is not known; there are claude, codex, demo and auto"
                            .formatted(name));
        }
        return engine;
    }
}
