package dev.ash.cli.doctor;

import dev.ash.cli.command.Connection;
import dev.ash.cli.command.Host;
import dev.ash.cli.gateway.GatewayText;
import dev.ash.cli.terminal.Check;
import dev.ash.protocol.rest.GatewayApi;
import dev.ash.protocol.rest.HealthResponse;
import dev.ash.sdk.AshException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.Optional;

/** Checks the gateway of the server, or its port if no server responds. */
final class GatewayChecks {
    private static final String NAME = "gateway";
    private static final String DEFAULT_PORT = "3000";

    private final Host host;

    GatewayChecks(Host host) {
        this.host = host;
    }

    Check gateway() {
        try {
            return Optional.ofNullable(Connection.find(host).client().health().gateway())
                    .map(GatewayChecks::running)
                    .orElse(Check.ok(NAME, "unknown: the server is of an earlier version"));
        } catch (AshException | IllegalArgumentException e) {
            return checkPort();
        }
    }

    private static Check running(HealthResponse.Gateway gateway) {
        return gateway.status().equals(GatewayApi.FAILED)
                ? Check.weak(
                        NAME,
                        "not available: devices cannot connect",
                        String.valueOf(gateway.problem()))
                : Check.ok(NAME, GatewayText.line(gateway));
    }

    private Check checkPort() {
        var port = host.variable("ASH_GATEWAY_PORT", DEFAULT_PORT);
        var address = host.variable("ASH_GATEWAY_HOST", "127.0.0.1");
        try (var probe = new ServerSocket()) {
            probe.bind(new InetSocketAddress(address, Integer.parseInt(port)));
            return Check.ok(NAME, "port %s is free".formatted(port));
        } catch (NumberFormatException e) {
            return Check.weak(NAME, "ASH_GATEWAY_PORT is " + port, "Set it to a port number.");
        } catch (IOException | IllegalArgumentException e) {
            return Check.weak(
                    NAME,
                    "cannot listen on port %s of %s: %s".formatted(port, address, e.getMessage()),
                    "Start Ash with another port: ASH_GATEWAY_PORT=3001 ash start");
        }
    }
}
