package dev.ash.sdk;

import dev.ash.protocol.rest.GatewayApi;
import org.jspecify.annotations.Nullable;

/** The calls of {@code /api/gateway}; they need an API key of the tenant {@code default}. */
public final class GatewayClient {
    private final Calls calls;

    GatewayClient(Calls calls) {
        this.calls = calls;
    }

    /** Where devices connect. */
    public GatewayApi.Gateway show() {
        return calls.get(gateway(), GatewayApi.GatewayResponse.class).gateway();
    }

    /**
     * Lets devices connect at another address of the server's machine, now and after restarts.
     *
     * @param host an IP address; 0.0.0.0 for all that the machine has
     * @param port null for the port that it has
     */
    public GatewayApi.Gateway move(String host, @Nullable Integer port) {
        var request = new GatewayApi.MoveGateway(host, port);
        return calls.patch(gateway(), request, GatewayApi.GatewayResponse.class).gateway();
    }

    private static Target gateway() {
        return Target.of("/api/gateway");
    }
}
