package dev.ash.protocol.engine;

import dev.ash.protocol.ApiException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The engines that sessions can use, in the order of preference of {@link EngineProfiles#AUTO}: the
 * built-in ones and those that the operator configured. Immutable.
 */
public final class EngineTable {
    private static final EngineTable BUILT_IN =
            new EngineTable(
                    List.of(
                            EngineProfiles.CLAUDE,
                            EngineProfiles.CODEX,
                            EngineProfiles.OPENCODE,
                            EngineProfiles.GOOSE,
                            EngineProfiles.GEMINI,
                            EngineProfiles.AIDER,
                            EngineProfiles.QWEN,
                            EngineProfiles.COPILOT,
                            EngineProfiles.CLINE,
                            EngineProfiles.DEMO));

    private final List<EngineProfile> profiles;

    private EngineTable(List<EngineProfile> profiles) {
        this.profiles = profiles;
    }

    public static EngineTable builtIn() {
        return BUILT_IN;
    }

    /**
     * Returns the built-in engines and those of the setting {@code ASH_ENGINES}.
     *
     * @param configuredJson the text of a JSON object with an engine in each member; may be absent
     * @throws ApiException if it is invalid; the message names the field
     */
    public static EngineTable of(@Nullable String configuredJson) {
        if (configuredJson == null || configuredJson.isBlank()) {
            return BUILT_IN;
        }
        var profiles = new ArrayList<>(BUILT_IN.profiles);
        for (var configured : ConfiguredEngines.parse(configuredJson)) {
            put(profiles, configured.apply(profiles));
        }
        return new EngineTable(List.copyOf(profiles));
    }

    /** Replaces the engine of the same name, or adds one before the demo, which is always last. */
    private static void put(List<EngineProfile> profiles, EngineProfile profile) {
        for (int i = 0; i < profiles.size(); i++) {
            if (profiles.get(i).name().equals(profile.name())) {
                profiles.set(i, profile);
                return;
            }
        }
        profiles.add(profiles.size() - 1, profile);
    }

    public List<EngineProfile> all() {
        return profiles;
    }

    /** Returns the engine with this name, public name or alias. */
    public Optional<EngineProfile> find(String name) {
        for (var profile : profiles) { // no stream: this is on the startup path of bridges
            if (profile.isNamed(name)) {
                return Optional.of(profile);
            }
        }
        return Optional.empty();
    }

    /**
     * Returns the provider of a session's engine. For a stored engine that is no longer in the
     * table, returns the provider of {@link EngineProfiles#CLAUDE}.
     */
    public ModelProvider provider(String storedEngine) {
        return find(storedEngine).orElse(EngineProfiles.CLAUDE).provider();
    }

    /** Returns all choices for a message, such as {@code claude, codex, demo or auto}. */
    public String choices(String conjunction) {
        return profiles.stream()
                .map(profile -> profile.name().value())
                .collect(Collectors.joining(", ", "", " " + conjunction + " " + EngineProfiles.AUTO));
    }
}
