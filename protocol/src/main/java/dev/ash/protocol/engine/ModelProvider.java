package dev.ash.protocol.engine;

import java.util.List;
import java.util.Map;

/** A model provider whose API an engine calls. */
public enum ModelProvider {
    ANTHROPIC,
    OPENAI,
    GOOGLE;

    /** Returns the environment variables that can each contain a credential. */
    public List<String> credentialVariables() {
        return switch (this) {
            case ANTHROPIC ->
                    List.of("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN");
            case OPENAI -> List.of("OPENAI_API_KEY");
            case GOOGLE -> List.of("GEMINI_API_KEY", "GOOGLE_API_KEY");
        };
    }

    /** Returns whether the prices of its models are known, as cost limits in dollars require. */
    public boolean hasKnownPrices() {
        return switch (this) {
            case ANTHROPIC -> true;
            case OPENAI, GOOGLE -> false;
        };
    }

    /** Returns the variable that messages recommend for setting a credential. */
    public String keyVariable() {
        return credentialVariables().getFirst();
    }

    public boolean hasCredential(Map<String, String> environment) {
        return credentialVariables().stream()
                .anyMatch(name -> !environment.getOrDefault(name, "").isBlank());
    }
}
