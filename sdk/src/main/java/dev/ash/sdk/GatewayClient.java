package dev.ash.sdk;

import dev.ash.protocol.rest.GatewayApi;
import org.jspecify.annotations.Nullable;

/**
 * Client for the {@code /api/gateway} endpoint, which requires an API key of the tenant {@code
 * default}.
 */
public final class GatewayClient {
    private final RestClient rest;

    GatewayClient(RestClient rest) {
        this.rest = rest;
    }

    /** Returns the address of the gateway, to which devices connect. */
    public GatewayApi.Gateway show() {
        return rest.get(gateway(), GatewayApi.GatewayResponse.class).gateway();
    }

    /**
     * Moves the gateway to another address of the server's host, immediately and persistently.
     *
     * @param host an IP address of the host; 0.0.0.0 for all
     * @param port null to keep the current port
     */
    public GatewayApi.Gateway move(String host, @Nullable Integer port) {
        var request = new GatewayApi.MoveGateway(host, port);
        return rest.patch(gateway(), request, GatewayApi.GatewayResponse.class).gateway();
    }

    private static ApiPath gateway() {
        return ApiPath.of("/api/gateway");
    }
}
