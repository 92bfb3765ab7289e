package dev.ash.server.session.engine;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.engine.EngineName;
import dev.ash.protocol.engine.EngineProfile;
import dev.ash.protocol.engine.EngineProfiles;
import dev.ash.protocol.engine.EngineTable;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Chooses the engine of a session: the one requested by the session, the agent or the server, in
 * this order, or else the first that is available.
 */
public final class Engines {
    /** Whether an engine's program is installed, and whether the server has a credential for it. */
    public record Availability(boolean hasProgram, boolean hasCredential) {
        public static final Availability MISSING = new Availability(false, false);
    }

    private final String defaultEngine;
    private final Map<EngineName, Availability> availability;

    /** {@code defaultEngine} is the name of an engine, or {@link EngineProfiles#AUTO}. */
    public Engines(String defaultEngine, Map<EngineName, Availability> availability) {
        this.defaultEngine = defaultEngine;
        this.availability = Map.copyOf(availability);
    }

    public EngineName choose(
            Optional<String> ofSession, Optional<String> ofAgent, boolean bringsCredential) {
        var chosen = ofSession.or(() -> ofAgent).orElse(defaultEngine);
        if (chosen.equals(EngineProfiles.AUTO)) {
            return chooseAutomatically(bringsCredential).name();
        }
        return EngineTable.builtIn().find(chosen)
                .map(EngineProfile::name)
                .orElseThrow(
                        () ->
                                new ApiException(
                                        ErrorCode.VALIDATION_FAILED,
                                        "engine: \"%s\" is not known; there are %s"
                                                .formatted(chosen, EngineTable.builtIn().choices("and"))));
    }

    /** Returns the public names of the engines whose program is installed. */
    public List<String> available() {
        return EngineTable.builtIn().all().stream()
                .filter(this::hasProgram)
                .map(EngineProfile::publicName)
                .toList();
    }

    /**
     * Returns the reason why an engine cannot run on this server: a missing program or key. Empty
     * if it can run, and if there is no such engine.
     *
     * @param bringsCredential whether its agent has a stored key
     */
    Optional<String> missingRequirement(String name, boolean bringsCredential) {
        return EngineTable.builtIn().find(name)
                .flatMap(profile -> missingRequirement(profile, bringsCredential));
    }

    private Optional<String> missingRequirement(EngineProfile profile, boolean bringsCredential) {
        if (profile.program().isEmpty()) {
            return Optional.empty();
        }
        var program = profile.program().get();
        if (!hasProgram(profile)) {
            return Optional.of(
                    "%s is not installed on the server: the program \"%s\" was not found. Install it with '%s' and restart the server"
                            .formatted(
                                    profile.publicName(),
                                    program.command(),
                                    program.installCommand()));
        }
        if (!hasCredential(profile, bringsCredential)) {
            return Optional.of(
                    "%s has no key on the server: set %s for the server, or give the agent one of 'ash credentials'"
                            .formatted(profile.publicName(), profile.provider().keyVariable()));
        }
        return Optional.empty();
    }

    /** Returns the engine of a session for which none is requested. */
    public EngineName chooseDefault() {
        return choose(Optional.empty(), Optional.empty(), false);
    }

    private EngineProfile chooseAutomatically(boolean bringsCredential) {
        return EngineTable.builtIn().all().stream()
                .filter(profile -> missingRequirement(profile, bringsCredential).isEmpty())
                .findFirst()
                .orElse(EngineProfiles.DEMO);
    }

    private boolean hasProgram(EngineProfile profile) {
        return profile.program().isEmpty() || availability(profile).hasProgram();
    }

    private boolean hasCredential(EngineProfile profile, boolean bringsCredential) {
        return bringsCredential || availability(profile).hasCredential();
    }

    private Availability availability(EngineProfile profile) {
        return availability.getOrDefault(profile.name(), Availability.MISSING);
    }
}
