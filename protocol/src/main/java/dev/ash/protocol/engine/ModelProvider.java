package dev.ash.protocol.engine;

import java.util.List;
import java.util.Map;

/** A provider of models, whose API an engine calls. */
public enum ModelProvider {
    ANTHROPIC,
    OPENAI;

    /** The environment variables of which each can hold a credential. */
    public List<String> credentialVariables() {
        return switch (this) {
            case ANTHROPIC ->
                    List.of("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN");
            case OPENAI -> List.of("OPENAI_API_KEY");
        };
    }

    /** Whether Ash knows the prices of its models, so that a limit in dollars can be enforced. */
    public boolean hasKnownPrices() {
        return switch (this) {
            case ANTHROPIC -> true;
            case OPENAI -> false;
        };
    }

    /** The variable to name to a person who has no credential yet. */
    public String keyVariable() {
        return credentialVariables().getFirst();
    }

    public boolean hasCredential(Map<String, String> environment) {
        return credentialVariables().stream()
                .anyMatch(name -> !environment.getOrDefault(name, "").isBlank());
    }
}
