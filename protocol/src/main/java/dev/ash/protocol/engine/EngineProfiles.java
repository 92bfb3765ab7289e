package dev.ash.protocol.engine;

import dev.ash.protocol.engine.EngineProfile.Launcher;
import dev.ash.protocol.engine.EngineProfile.Program;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** The table of engines. A new engine needs an entry here and a driver in the bridge. */
public final class EngineProfiles {
    public static final EngineProfile CLAUDE =
            new EngineProfile(
                    new EngineName("claude"),
                    "claude-code",
                    "Claude Code",
                    Optional.of(
                            new Program(
                                    "claude",
                                    "CLAUDE_CODE_EXECUTABLE",
                                    "@anthropic-ai/claude-code",
                                    "/opt/engine",
                                    Optional.empty())),
                    ModelProvider.ANTHROPIC,
                    Map.of(
                            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1",
                            "CLAUDE_CODE_ENTRYPOINT", "sdk-java"));

    public static final EngineProfile CODEX =
            new EngineProfile(
                    new EngineName("codex"),
                    "codex",
                    "Codex",
                    Optional.of(
                            new Program(
                                    "codex",
                                    "CODEX_EXECUTABLE",
                                    "@openai/codex",
                                    "/opt/codex",
                                    Optional.of(new Launcher("codex.js", "codex-", "bin/codex")))),
                    ModelProvider.OPENAI,
                    Map.of());

    public static final EngineProfile DEMO =
            new EngineProfile(
                    new EngineName("demo"),
                    "demo",
                    "the demo",
                    Optional.empty(),
                    ModelProvider.ANTHROPIC,
                    Map.of());

    /** Selects the first engine of the table that can run. */
    public static final String AUTO = "auto";

    /** All engines, in the order of preference of {@link #AUTO}. */
    public static final List<EngineProfile> ALL = List.of(CLAUDE, CODEX, DEMO);

    /** Returns the engine with this name or public name. */
    public static Optional<EngineProfile> find(String name) {
        for (var profile : ALL) { // no stream: this is on the startup path of bridges
            if (profile.isNamed(name)) {
                return Optional.of(profile);
            }
        }
        return Optional.empty();
    }

    /**
     * Returns the provider of a session's engine. For a stored engine that is no longer in the
     * table, returns the provider of {@link #CLAUDE}.
     */
    public static ModelProvider provider(String storedEngine) {
        return find(storedEngine).orElse(CLAUDE).provider();
    }

    /** Returns all choices for a message, such as {@code claude, codex, demo or auto}. */
    public static String choices(String conjunction) {
        return ALL.stream()
                .map(profile -> profile.name().value())
                .collect(Collectors.joining(", ", "", " " + conjunction + " " + AUTO));
    }

    private EngineProfiles() {}
}
