package dev.ash.sdk;

import dev.ash.protocol.rest.EngineApi;

/** Client for the {@code /api/engines} endpoint. */
public final class EnginesClient {
    private final RestClient rest;

    EnginesClient(RestClient rest) {
        this.rest = rest;
    }

    /** Returns the engines of the server, including those whose program is not installed. */
    public EngineApi.Engines list() {
        return rest.get(ApiPath.of("/api/engines"), EngineApi.Engines.class);
    }
}
