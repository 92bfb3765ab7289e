package dev.ash.server.session.engine;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.engine.EngineName;
import dev.ash.protocol.engine.EngineProfile;
import dev.ash.protocol.engine.EngineProfile.Program;
import dev.ash.protocol.engine.EngineProfiles;
import dev.ash.protocol.engine.EngineTable;
import dev.ash.protocol.engine.ModelProvider;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The engines of this server: which of them can run, and which one a session uses: the one
 * requested by the session, the agent or the server, in this order, or else the first that can run.
 */
public final class Engines {
    private final EngineTable table;
    private final String defaultEngine;
    private final Map<EngineName, InstalledProgram> programs;
    private final Set<ModelProvider> credentials;

    /**
     * Creates the engines of a server.
     *
     * @param defaultEngine the name of an engine, or {@link EngineProfiles#AUTO}
     * @param credentials the providers for which the server has a credential
     */
    public Engines(
            EngineTable table,
            String defaultEngine,
            Map<EngineName, InstalledProgram> programs,
            Set<ModelProvider> credentials) {
        this.table = table;
        this.defaultEngine = defaultEngine;
        this.programs = Map.copyOf(programs);
        this.credentials = Set.copyOf(credentials);
    }

    public EngineTable table() {
        return table;
    }

    public EngineName choose(
            Optional<String> ofSession, Optional<String> ofAgent, boolean bringsCredential) {
        var chosen = ofSession.or(() -> ofAgent).orElse(defaultEngine);
        if (chosen.equals(EngineProfiles.AUTO)) {
            return chooseAutomatically(bringsCredential).name();
        }
        return table.find(chosen)
                .map(EngineProfile::name)
                .orElseThrow(
                        () ->
                                new ApiException(
                                        ErrorCode.VALIDATION_FAILED,
                                        "engine: \"%s\" is not known; there are %s"
                                                .formatted(chosen, table.choices("and"))));
    }

    /** Returns the engines whose program is installed. */
    public List<EngineProfile> installed() {
        return table.all().stream().filter(this::hasProgram).toList();
    }

    /** Returns the public names of the engines whose program is installed. */
    public List<String> available() {
        return installed().stream().map(EngineProfile::publicName).toList();
    }

    /** Returns the program of an engine; empty if it is built in or not installed. */
    public Optional<InstalledProgram> program(EngineProfile engine) {
        return Optional.ofNullable(programs.get(engine.name()));
    }

    public boolean hasProgram(EngineProfile engine) {
        return engine.program().isEmpty() || programs.containsKey(engine.name());
    }

    /** Returns whether the server has a credential for the engine's provider. */
    public boolean hasCredential(EngineProfile engine) {
        return credentials.contains(engine.provider());
    }

    /**
     * Returns the reason why an engine cannot run on this server: a missing program or key. Empty
     * if it can run, and if there is no such engine.
     *
     * @param bringsCredential whether its agent has a stored key
     */
    Optional<String> missingRequirement(String name, boolean bringsCredential) {
        return table.find(name).flatMap(profile -> missingRequirement(profile, bringsCredential));
    }

    Optional<String> missingRequirement(EngineProfile profile, boolean bringsCredential) {
        if (profile.program().isEmpty()) {
            return Optional.empty();
        }
        var installed = programs.get(profile.name());
        if (installed == null) {
            return Optional.of(notInstalled(profile, profile.program().get()));
        }
        if (!installed.problem().isEmpty()) {
            return Optional.of(
                    "%s cannot run in sandboxes: %s"
                            .formatted(profile.publicName(), installed.problem()));
        }
        if (!bringsCredential && !hasCredential(profile)) {
            return Optional.of(
                    "%s has no key on the server: set %s for the server, or give the agent one of 'ash credentials'"
                            .formatted(profile.publicName(), profile.provider().keyVariable()));
        }
        return Optional.empty();
    }

    private static String notInstalled(EngineProfile profile, Program program) {
        var command = profile.installCommand();
        var remedy =
                command.isEmpty()
                        ? "Install it, or set %s to its path, and restart the server"
                                .formatted(program.variable())
                        : "Install it with '%s' on the server's machine, and restart the server"
                                .formatted(command);
        return "%s is not installed on the server: the program \"%s\" was not found. %s"
                .formatted(profile.publicName(), program.command(), remedy);
    }

    /** Returns the engine of a session for which none is requested. */
    public EngineName chooseDefault() {
        return choose(Optional.empty(), Optional.empty(), false);
    }

    private EngineProfile chooseAutomatically(boolean bringsCredential) {
        return table.all().stream()
                .filter(profile -> missingRequirement(profile, bringsCredential).isEmpty())
                .findFirst()
                .orElse(EngineProfiles.DEMO);
    }
}
