package dev.ash.protocol.engine;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** A model provider whose API an engine calls. */
public enum ModelProvider {
    ANTHROPIC(
            "anthropic",
            List.of("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"),
            "ANTHROPIC_BASE_URL"),
    OPENAI("openai", List.of("OPENAI_API_KEY"), "OPENAI_BASE_URL"),
    GOOGLE("google", List.of("GEMINI_API_KEY", "GOOGLE_API_KEY"), "GOOGLE_GEMINI_BASE_URL");

    private final String wire;

    @SuppressWarnings("ImmutableEnumChecker") // List.of returns immutable lists
    private final List<String> credentialVariables;

    private final String urlVariable;

    ModelProvider(String wire, List<String> credentialVariables, String urlVariable) {
        this.wire = wire;
        this.credentialVariables = credentialVariables;
        this.urlVariable = urlVariable;
    }

    /** Returns the provider with this wire name. */
    public static Optional<ModelProvider> find(String wire) {
        for (var provider : values()) {
            if (provider.wire.equals(wire)) {
                return Optional.of(provider);
            }
        }
        return Optional.empty();
    }

    /** Returns all wire names for a message, such as {@code anthropic, openai or google}. */
    public static String choices(String conjunction) {
        var names = Stream.of(values()).map(ModelProvider::wire).toList();
        int last = names.size() - 1;
        return "%s %s %s"
                .formatted(String.join(", ", names.subList(0, last)), conjunction, names.get(last));
    }

    /** Returns its name in the API, in settings and in the database. */
    public String wire() {
        return wire;
    }

    /**
     * Returns the environment variables that can each contain a credential, the first preferred.
     */
    public List<String> credentialVariables() {
        return credentialVariables;
    }

    /** Returns the variable that messages recommend for setting a credential. */
    public String keyVariable() {
        return credentialVariables.getFirst();
    }

    /** Returns the server's setting for the base URL of the provider's API. */
    public String urlVariable() {
        return urlVariable;
    }

    public boolean hasCredential(Map<String, String> environment) {
        return credentialVariables.stream()
                .anyMatch(name -> !environment.getOrDefault(name, "").isBlank());
    }
}
