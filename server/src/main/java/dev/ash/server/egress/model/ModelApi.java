package dev.ash.server.egress.model;

import static dev.ash.server.egress.model.request.RequestFormat.ANTHROPIC_MESSAGES;
import static dev.ash.server.egress.model.request.RequestFormat.GOOGLE_GENERATE;
import static dev.ash.server.egress.model.request.RequestFormat.OPENAI_CHAT;
import static dev.ash.server.egress.model.request.RequestFormat.OPENAI_RESPONSES;

import dev.ash.protocol.engine.ModelProvider;
import dev.ash.server.egress.http.ProxyException;
import java.util.List;

/** The model APIs that engines call, with the endpoints that sandboxes may call. */
public enum ModelApi {
    /** The Messages API; its base URL ends before {@code /v1}. */
    ANTHROPIC(
            ModelProvider.ANTHROPIC,
            "https://api.anthropic.com",
            "POST /v1/messages, POST /v1/messages/count_tokens and GET /v1/models",
            Endpoint.metered("/v1/messages", ANTHROPIC_MESSAGES, "", "beta=true"),
            Endpoint.free("/v1/messages/count_tokens", ANTHROPIC_MESSAGES, "", "beta=true"),
            Endpoint.models("/v1/models", ANTHROPIC_MESSAGES)),

    /** The Responses and Chat Completions APIs; their base URL ends after {@code /v1}. */
    OPENAI(
            ModelProvider.OPENAI,
            "https://api.openai.com/v1",
            "POST /v1/responses, POST /v1/chat/completions and GET /v1/models",
            Endpoint.metered("/v1/responses", OPENAI_RESPONSES, ""),
            Endpoint.metered("/v1/chat/completions", OPENAI_CHAT, ""),
            Endpoint.models("/v1/models", OPENAI_RESPONSES)),

    /** The Gemini API; its base URL ends before {@code /v1beta}. Streams have events only. */
    GOOGLE(
            ModelProvider.GOOGLE,
            "https://generativelanguage.googleapis.com",
            "POST /v1beta/models/{model}:generateContent, :streamGenerateContent and :countTokens,"
                    + " and GET /v1beta/models",
            Endpoint.metered(Endpoint.MODEL_PATH + ":generateContent", GOOGLE_GENERATE, ""),
            Endpoint.metered(
                    Endpoint.MODEL_PATH + ":streamGenerateContent", GOOGLE_GENERATE, "alt=sse"),
            Endpoint.free(Endpoint.MODEL_PATH + ":countTokens", GOOGLE_GENERATE, ""),
            Endpoint.models("/v1beta/models", GOOGLE_GENERATE));

    private static final String VERSION = "/v1";

    private final ModelProvider provider;
    private final String defaultUrl;
    private final String permittedCalls;

    @SuppressWarnings("ImmutableEnumChecker") // List.of returns immutable lists
    private final List<Endpoint> endpoints;

    ModelApi(
            ModelProvider provider,
            String defaultUrl,
            String permittedCalls,
            Endpoint... endpoints) {
        this.provider = provider;
        this.defaultUrl = defaultUrl;
        this.permittedCalls = permittedCalls;
        this.endpoints = List.of(endpoints);
    }

    /** Returns the API of a provider. */
    public static ModelApi of(ModelProvider provider) {
        return switch (provider) {
            case ANTHROPIC -> ANTHROPIC;
            case OPENAI -> OPENAI;
            case GOOGLE -> GOOGLE;
        };
    }

    public ModelProvider provider() {
        return provider;
    }

    /** Returns the base URL of the provider's public API. */
    public String defaultUrl() {
        return defaultUrl;
    }

    /** Returns the endpoint of a call; rejects calls that engines do not need. */
    Endpoint endpoint(String method, String path) throws ProxyException {
        for (var endpoint : endpoints) {
            if (endpoint.matches(method, path)) {
                return endpoint;
            }
        }
        throw new ProxyException(
                404, "Ash: a sandbox may call only %s of the model API".formatted(permittedCalls));
    }

    /** Returns the target of a sandbox's call, relative to the base URL. */
    String relativeTarget(String target) {
        return this == OPENAI && target.startsWith(VERSION)
                ? target.substring(VERSION.length())
                : target;
    }

    /** Returns whether the query string of a call may contain the key. */
    boolean acceptsKeyInQuery() {
        return this == GOOGLE;
    }

    /**
     * Returns whether a model without a price is charged like the most expensive one even if cost
     * is not limited. Hosts with the API of another provider have models that cost nothing.
     */
    boolean countsUnknownModels() {
        return this == ANTHROPIC;
    }
}
