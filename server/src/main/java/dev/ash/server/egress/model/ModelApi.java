package dev.ash.server.egress.model;

import dev.ash.protocol.engine.EngineTable;
import dev.ash.protocol.engine.ModelProvider;
import dev.ash.server.egress.http.ProxyException;
import dev.ash.server.egress.model.request.RequestPolicy;
import java.util.regex.Pattern;

/** The model APIs that engines call, with the endpoints that sandboxes may call. */
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

    private static final Pattern MODELS_PATH =
            Pattern.compile("/v1/models(/[A-Za-z0-9][A-Za-z0-9._:-]*)?");
    private static final String VERSION = "/v1";

    private final ModelProvider modelProvider;
    private final String urlVariable;
    private final String meteredPath;
    private final RequestPolicy.Provider provider;
    private final String permittedCalls;

    ModelApi(
            ModelProvider modelProvider,
            String urlVariable,
            String meteredPath,
            RequestPolicy.Provider provider,
            String permittedCalls) {
        this.modelProvider = modelProvider;
        this.urlVariable = urlVariable;
        this.meteredPath = meteredPath;
        this.provider = provider;
        this.permittedCalls = permittedCalls;
    }

    /** Returns the API that an engine calls. */
    public static ModelApi of(String engine) {
        return switch (EngineTable.builtIn().provider(engine)) {
            case ANTHROPIC -> ANTHROPIC;
            case OPENAI -> OPENAI;
            case GOOGLE -> throw new IllegalArgumentException("no API for the provider google");
        };
    }

    /** Returns the name of the server's setting for the API key. */
    public String keyVariable() {
        return modelProvider.keyVariable();
    }

    /** Returns the name of the server's setting for the base URL. */
    public String urlVariable() {
        return urlVariable;
    }

    /** Returns the provider whose table is used to check requests. */
    public RequestPolicy.Provider provider() {
        return provider;
    }

    /** Returns whether a call is metered; rejects calls that engines do not need. */
    boolean isMetered(String method, String path) throws ProxyException {
        if (method.equals("POST") && path.equals(meteredPath)) {
            return true;
        }
        boolean free =
                method.equals("POST")
                        ? this == ANTHROPIC && path.equals("/v1/messages/count_tokens")
                        : method.equals("GET") && MODELS_PATH.matcher(path).matches();
        if (!free) {
            throw new ProxyException(
                    404,
                    "Ash: a sandbox may call only %s of the model API".formatted(permittedCalls));
        }
        return false;
    }

    /** Returns the target of a sandbox's call, relative to the base URL. */
    String relativeTarget(String target) {
        return this == OPENAI && target.startsWith(VERSION)
                ? target.substring(VERSION.length())
                : target;
    }

    /** Returns whether a model without a price is charged like the most expensive one. */
    boolean countsUnknownModels() {
        return this == ANTHROPIC;
    }
}
