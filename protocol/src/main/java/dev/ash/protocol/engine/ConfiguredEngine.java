package dev.ash.protocol.engine;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.engine.EngineProfile.Launch;
import dev.ash.protocol.engine.EngineProfile.Program;
import dev.ash.protocol.engine.EngineProfile.PromptInput;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * An entry of the operator's configuration: a new engine, or fields that replace those of a
 * built-in one. An absent field is null.
 *
 * @param path its place in the configuration, for messages
 */
record ConfiguredEngine(
        String path,
        EngineName name,
        @Nullable EngineDriver driver,
        @Nullable String command,
        @Nullable List<String> arguments,
        Map<String, String> environment,
        @Nullable ModelProvider provider,
        @Nullable String model,
        @Nullable String product,
        @Nullable List<String> aliases,
        @Nullable PromptInput prompt) {

    /** Returns the engine for a table with these engines. */
    EngineProfile apply(List<EngineProfile> profiles) {
        var names = aliases == null ? List.of(name.value()) : with(aliases, name.value());
        for (var other : profiles) {
            if (!other.name().equals(name)) {
                requireDifferent(names, other);
            }
        }
        for (var other : profiles) {
            if (other.name().equals(name)) {
                return override(other);
            }
        }
        return create();
    }

    private static List<String> with(List<String> aliases, String name) {
        var names = new ArrayList<>(aliases);
        names.add(name);
        return names;
    }

    private void requireDifferent(List<String> names, EngineProfile other) {
        for (var used : names) {
            if (other.isNamed(used)) {
                throw ApiException.invalid(
                        path,
                        "the name \"%s\" belongs to the engine %s; use another name"
                                .formatted(used, other.name()));
            }
        }
    }

    private EngineProfile create() {
        var newDriver = require("driver", driver);
        var newCommand = require("command", command);
        return new EngineProfile(
                name,
                name.value(),
                aliases == null ? List.of() : aliases,
                product == null ? name.value() : product,
                newDriver,
                Optional.of(program(newCommand)),
                require("provider", provider),
                new Launch(
                        arguments == null ? List.of() : arguments,
                        environment,
                        prompt == null ? PromptInput.STDIN : prompt,
                        model == null ? "" : model),
                capabilities(newDriver),
                Map.of());
    }

    private <T> T require(String field, @Nullable T value) {
        if (value == null) {
            throw ApiException.invalid(path + "." + field, "is required for an engine of your own");
        }
        return value;
    }

    private Program program(String newCommand) {
        return new Program(
                newCommand,
                name.value().toUpperCase(Locale.ROOT).replace('-', '_') + "_EXECUTABLE",
                "",
                "",
                "",
                "/opt/engines/" + name,
                Optional.empty());
    }

    static Set<EngineCapability> capabilities(EngineDriver driver) {
        return driver == EngineDriver.ACP ? EngineProfiles.ACP : EngineProfiles.COMMAND;
    }

    private EngineProfile override(EngineProfile builtIn) {
        if (builtIn.driver() != EngineDriver.ACP && builtIn.driver() != EngineDriver.COMMAND) {
            throw ApiException.invalid(
                    path,
                    "%s is built in and has its own driver; choose another name"
                            .formatted(builtIn.product()));
        }
        var newDriver = driver == null ? builtIn.driver() : driver;
        var newProvider = provider == null ? builtIn.provider() : provider;
        return new EngineProfile(
                name,
                builtIn.publicName(),
                aliases == null ? builtIn.aliases() : aliases,
                product == null ? builtIn.product() : product,
                newDriver,
                command == null ? builtIn.program() : Optional.of(replace(builtIn, command)),
                newProvider,
                override(launch(builtIn, newProvider)),
                newDriver == builtIn.driver() ? builtIn.capabilities() : capabilities(newDriver),
                builtIn.environment());
    }

    /** Keeps the setting for the path, which overrides the command. */
    private Program replace(EngineProfile builtIn, String newCommand) {
        var old = builtIn.program().orElseThrow();
        return new Program(
                newCommand, old.variable(), "", "", "", old.sandboxDirectory(), Optional.empty());
    }

    private Launch launch(EngineProfile builtIn, ModelProvider newProvider) {
        var launch = LaunchTemplates.find(builtIn, newProvider);
        if (launch.isPresent()) {
            return launch.get();
        }
        if (environment.isEmpty()) {
            throw ApiException.invalid(
                    path + ".provider",
                    "Ash cannot configure %s for %s; set the variables that it needs in env, or use the provider %s"
                            .formatted(
                                    builtIn.product(),
                                    newProvider.wire(),
                                    builtIn.provider().wire()));
        }
        return new Launch(
                builtIn.launch().arguments(), Map.of(), builtIn.launch().promptInput(), "");
    }

    private Launch override(Launch launch) {
        var variables = new LinkedHashMap<>(launch.environment());
        variables.putAll(environment);
        return new Launch(
                arguments == null ? launch.arguments() : arguments,
                variables,
                prompt == null ? launch.promptInput() : prompt,
                model == null ? launch.model() : model);
    }
}
