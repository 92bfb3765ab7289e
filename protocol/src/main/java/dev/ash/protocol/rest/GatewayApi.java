package dev.ash.protocol.rest;

import org.jspecify.annotations.Nullable;

/** Requests and answers of {@code /api/gateway}. */
public interface GatewayApi {
    /** The setting {@code ASH_GATEWAY} is 0. */
    String OFF = "off";

    /** The server has just been started. */
    String STARTING = "starting";

    String LISTENING = "listening";

    /** It cannot listen; {@code problem} says why. */
    String FAILED = "failed";

    /**
     * Where devices connect.
     *
     * @param status {@code off}, {@code starting}, {@code listening} or {@code failed}
     * @param host the address that it listens on, or tried to
     * @param url the address that devices are told
     * @param fingerprint SHA-256 of its certificate, in hex
     * @param reachable whether other machines can reach it
     * @param problem why it does not listen
     * @param note what to know about a change, such as that it ends with the server
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

    record GatewayAnswer(Gateway gateway) {}

    /**
     * Lets the gateway listen elsewhere, now and after restarts.
     *
     * @param host an IP address of the server's machine; 0.0.0.0 or :: for all of them
     * @param port null for the port that it has
     */
    record MoveGateway(String host, @Nullable Integer port) {}
}
