package dev.ash.bridge;

import dev.ash.bridge.acp.AcpEngine;
import dev.ash.bridge.claude.ClaudeEngine;
import dev.ash.bridge.codex.CodexEngine;
import dev.ash.bridge.command.CommandEngine;
import dev.ash.bridge.demo.DemoEngine;
import dev.ash.bridge.engine.Engine;
import dev.ash.bridge.engine.EngineException;
import dev.ash.protocol.ApiException;
import dev.ash.protocol.engine.EngineDriver;
import dev.ash.protocol.engine.EngineProfile;
import dev.ash.protocol.engine.EngineProfiles;
import dev.ash.protocol.engine.EngineTable;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Selects the engine: the session's choice, else {@code ASH_ENGINE}, else the first that can run.
 */
final class EngineChoice {
    private static final String CONFIGURED_ENGINES = "ASH_ENGINES";

    /**
     * Returns the name of the engine; an unknown configured name is rejected by {@link #engine}.
     */
    static String name(@Nullable String configured, Map<String, String> environment) {
        var requested = configured == null ? "" : configured;
        if (requested.isEmpty()) {
            requested = environment.getOrDefault("ASH_ENGINE", "");
        }
        try {
            var table = table(environment);
            if (requested.isEmpty() || requested.equals(EngineProfiles.AUTO)) {
                return automatic(table, environment).name().value();
            }
            var named = table.find(requested);
            return named.isPresent() ? named.get().name().value() : requested;
        } catch (EngineException _) {
            return requested; // `engine` reports the same error
        }
    }

    private static EngineProfile automatic(EngineTable table, Map<String, String> environment) {
        for (var profile : table.all()) {
            if (driver(profile).canRun(environment)) {
                return profile;
            }
        }
        return EngineProfiles.DEMO;
    }

    static Engine engine(String name, Map<String, String> environment) throws EngineException {
        var table = table(environment);
        var profile = table.find(name);
        if (profile.isEmpty()) {
            throw new EngineException(
                    "unknown engine '%s'; expected %s".formatted(name, table.choices("or")));
        }
        return driver(profile.get());
    }

    private static EngineTable table(Map<String, String> environment) throws EngineException {
        try {
            return EngineTable.of(environment.get(CONFIGURED_ENGINES));
        } catch (ApiException e) {
            throw new EngineException(CONFIGURED_ENGINES + " is invalid: " + e.getMessage());
        }
    }

    /** Not a switch, whose first execution takes time at the start of every bridge. */
    private static Engine driver(EngineProfile profile) {
        var driver = profile.driver();
        if (driver == EngineDriver.CLAUDE) {
            return new ClaudeEngine();
        }
        if (driver == EngineDriver.DEMO) {
            return new DemoEngine();
        }
        if (driver == EngineDriver.CODEX) {
            return new CodexEngine();
        }
        if (driver == EngineDriver.ACP) {
            return new AcpEngine(profile);
        }
        return new CommandEngine(profile);
    }

    private EngineChoice() {}
}
