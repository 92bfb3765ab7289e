package dev.ash.protocol.engine;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Platforms that serve models with credentials of their own kind, such as signatures, which the
 * server cannot add to a request. Ash rejects the variables that select them instead of ignoring
 * them.
 */
public enum CloudPlatform {
    BEDROCK(
            "Amazon Bedrock",
            List.of(
                    "CLAUDE_CODE_USE_BEDROCK",
                    "CLAUDE_CODE_USE_MANTLE",
                    "AWS_BEARER_TOKEN_BEDROCK")),
    VERTEX("Google Vertex AI", List.of("CLAUDE_CODE_USE_VERTEX", "GOOGLE_GENAI_USE_VERTEXAI")),
    FOUNDRY("Microsoft Foundry", List.of("CLAUDE_CODE_USE_FOUNDRY")),
    CODE_ASSIST("a login at Google", List.of("GOOGLE_GENAI_USE_GCA"));

    private static final Set<String> OFF = Set.of("", "0", "false", "no", "off");

    private final String product;

    @SuppressWarnings("ImmutableEnumChecker") // List.of returns immutable lists
    private final List<String> variables;

    CloudPlatform(String product, List<String> variables) {
        this.product = product;
        this.variables = variables;
    }

    /** Returns why these variables are rejected; empty if none of them selects a platform. */
    public static Optional<String> rejection(Map<String, String> environment) {
        for (var platform : values()) {
            for (var name : platform.variables) {
                var value = environment.getOrDefault(name, "").strip();
                if (!OFF.contains(value.toLowerCase(Locale.ROOT))) {
                    return Optional.of(platform.rejection(name));
                }
            }
        }
        return Optional.empty();
    }

    private String rejection(String variable) {
        return "%s selects %s, which is not supported: the server cannot add its credentials to requests. Remove the variable, and use the API of the model's provider or a gateway with the same API (ANTHROPIC_BASE_URL, OPENAI_BASE_URL, GOOGLE_GEMINI_BASE_URL)"
                .formatted(variable, product);
    }
}
