package dev.ash.protocol.rest;

import org.jspecify.annotations.Nullable;

/** Requests and responses of {@code /api/gateway}. */
public interface GatewayApi {
    /** The setting {@code ASH_GATEWAY} is 0. */
    String OFF = "off";

    /** The server has just been started. */
    String STARTING = "starting";

    String LISTENING = "listening";

    /** The gateway cannot listen; {@code problem} has the reason. */
    String FAILED = "failed";

    /**
     * The state and address of the gateway.
     *
     * @param status {@code off}, {@code starting}, {@code listening} or {@code failed}
     * @param host the address that it listens on or failed to listen on
     * @param url the address that is advertised to devices
     * @param fingerprint SHA-256 of its certificate, in hex
     * @param reachable whether other machines can reach it
     * @param problem why it does not listen
     * @param note a remark on a change, for example that it is lost when the server stops
     */
    record Gateway(
            @FieldSchema(values = {OFF, STARTING, LISTENING, FAILED}) String status,
            String host,
            int port,
            @Nullable String url,
            @Nullable String fingerprint,
            boolean reachable,
            @Nullable String problem,
            @Nullable String note) {}

    record GatewayResponse(Gateway gateway) {}

    /**
     * Moves the gateway to another address, also after restarts.
     *
     * @param host an IP address of the server's host; 0.0.0.0 or :: for all of them
     * @param port null to keep the current port
     */
    record MoveGateway(String host, @Nullable Integer port) {}
}
