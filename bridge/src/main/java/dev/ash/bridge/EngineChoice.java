package dev.ash.bridge;

import dev.ash.bridge.claude.ClaudeEngine;
import dev.ash.bridge.codex.CodexEngine;
import dev.ash.bridge.demo.DemoEngine;
import dev.ash.bridge.engine.Engine;
import dev.ash.bridge.engine.EngineException;
import dev.ash.protocol.engine.EngineProfile;
import dev.ash.protocol.engine.EngineProfiles;
import dev.ash.protocol.engine.EngineTable;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Selects the engine: the session's choice, else {@code ASH_ENGINE}, else the first that can run.
 */
final class EngineChoice {
    /** One driver for each profile. */
    private static final List<Engine> DRIVERS =
            List.of(new ClaudeEngine(), new CodexEngine(), new DemoEngine());

    /**
     * Returns the name of the engine; an unknown configured name is rejected by {@link #engine}.
     */
    static String name(@Nullable String configured, Map<String, String> environment) {
        var requested = configured == null ? "" : configured;
        if (requested.isEmpty()) {
            requested = environment.getOrDefault("ASH_ENGINE", "");
        }
        if (requested.isEmpty() || requested.equals(EngineProfiles.AUTO)) {
            return automatic(environment).name().value();
        }
        var named = EngineTable.builtIn().find(requested);
        return named.isPresent() ? named.get().name().value() : requested;
    }

    private static EngineProfile automatic(Map<String, String> environment) {
        return EngineTable.builtIn().all().stream()
                .filter(
                        profile ->
                                driver(profile).stream()
                                        .anyMatch(engine -> engine.canRun(environment)))
                .findFirst()
                .orElse(EngineProfiles.DEMO);
    }

    static Engine engine(String name) throws EngineException {
        return EngineTable.builtIn().find(name)
                .flatMap(EngineChoice::driver)
                .orElseThrow(
                        () ->
                                new EngineException(
                                        "unknown engine '%s'; expected %s"
                                                .formatted(name, EngineTable.builtIn().choices("or"))));
    }

    /** Compares names: the first call of a record's {@code equals} generates code for 10 ms. */
    private static Optional<Engine> driver(EngineProfile profile) {
        var name = profile.name().value();
        return DRIVERS.stream()
                .filter(engine -> engine.profile().name().value().equals(name))
                .findFirst();
    }

    private EngineChoice() {}
}
