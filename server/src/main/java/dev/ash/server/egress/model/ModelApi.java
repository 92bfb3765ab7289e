package dev.ash.server.egress.model;

import dev.ash.protocol.engine.EngineProfiles;
import dev.ash.protocol.engine.ModelProvider;
import dev.ash.server.egress.http.ProxyException;
import dev.ash.server.egress.model.request.RequestPolicy;
import java.util.regex.Pattern;

/** The APIs by which engines call their models, and the endpoints that sandboxes may call. */
public enum ModelApi {
    /** The Messages API; its base URL ends before {@code /v1}. */
    ANTHROPIC(
            ModelProvider.ANTHROPIC,
            "ANTHROPIC_BASE_URL",
            "/v1/messages",
            RequestPolicy.Provider.ANTHROPIC,
            "POST /v1/messages, POST /v1/messages/count_tokens and GET /v1/models"),

    /** The Responses API; its base URL ends after {@code /v1}. */
    OPENAI(
            ModelProvider.OPENAI,
            "OPENAI_BASE_URL",
            "/v1/responses",
            RequestPolicy.Provider.OPENAI,
            "POST /v1/responses and GET /v1/models");

    private static final Pattern MODEL =
            Pattern.compile("/v1/models(/[A-Za-z0-9][A-Za-z0-9._:-]*)?");
    private static final String VERSION = "/v1";

    private final ModelProvider models;
    private final String urlVariable;
    private final String turn;
    private final RequestPolicy.Provider provider;
    private final String open;

    ModelApi(
            ModelProvider models,
            String urlVariable,
            String turn,
            RequestPolicy.Provider provider,
            String open) {
        this.models = models;
        this.urlVariable = urlVariable;
        this.turn = turn;
        this.provider = provider;
        this.open = open;
    }

    /** The API that an engine calls. */
    public static ModelApi of(String engine) {
        return switch (EngineProfiles.provider(engine)) {
            case ANTHROPIC -> ANTHROPIC;
            case OPENAI -> OPENAI;
        };
    }

    /** The server's setting for a key. */
    public String keyVariable() {
        return models.keyVariable();
    }

    /** The server's setting for the base URL. */
    public String urlVariable() {
        return urlVariable;
    }

    /** Selects the table that requests are checked against. */
    public RequestPolicy.Provider provider() {
        return provider;
    }

    /** Whether a call is metered; rejects calls that no engine needs. */
    boolean costs(String method, String path) throws ProxyException {
        if (method.equals("POST") && path.equals(turn)) {
            return true;
        }
        boolean free =
                method.equals("POST")
                        ? this == ANTHROPIC && path.equals("/v1/messages/count_tokens")
                        : method.equals("GET") && MODEL.matcher(path).matches();
        if (!free) {
            throw new ProxyException(
                    404,
                    "Ash lets a sandbox call %s of the model's API, and nothing else"
                            .formatted(open));
        }
        return false;
    }

    /** The target of a sandbox's call, relative to the base URL. */
    String below(String target) {
        return this == OPENAI && target.startsWith(VERSION)
                ? target.substring(VERSION.length())
                : target;
    }

    /** Whether a model without a price costs as much as the most expensive. */
    boolean countsUnknownModels() {
        return this == ANTHROPIC;
    }
}
