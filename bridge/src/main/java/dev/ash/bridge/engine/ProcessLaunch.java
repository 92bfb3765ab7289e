package dev.ash.bridge.engine;

import dev.ash.protocol.engine.EngineProfile;
import dev.ash.protocol.engine.LaunchValues;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The command line and environment of an engine whose launch is described in its profile. */
public record ProcessLaunch(List<String> command, Map<String, String> environment) {
    /** {@code model} is the model that the session requests; null for the engine's default. */
    public static ProcessLaunch of(
            EngineProfile engine,
            EngineSetup setup,
            SharedModelEndpoint endpoint,
            @Nullable String model)
            throws EngineException {
        var program = Programs.require(setup.environment(), engine);
        var directories = setup.directories();
        var values =
                new LaunchValues(
                        endpoint.get().origin(),
                        ModelEndpoint.key(engine.provider(), setup.environment()),
                        model == null ? "" : model,
                        directories.home().toString(),
                        directories.workspace().toString());
        var command = new ArrayList<String>();
        command.add(program.toString());
        command.addAll(values.arguments(engine.launch()));
        var environment = new HashMap<>(setup.environment());
        environment.putAll(values.environment(engine.launch()));
        return new ProcessLaunch(List.copyOf(command), Map.copyOf(environment));
    }
}
