package dev.ash.cli.doctor;

import dev.ash.cli.command.Connection;
import dev.ash.cli.command.Host;
import dev.ash.cli.gateway.GatewayText;
import dev.ash.protocol.rest.GatewayApi;
import dev.ash.protocol.rest.HealthResponse;
import dev.ash.sdk.AshException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.Optional;

/** Looks at the gateway of the server, or at its port where no server answers. */
final class GatewayChecks {
    private static final String NAME = "gateway";
    private static final String USUAL_PORT = "3000";

    private final Host host;

    GatewayChecks(Host host) {
        this.host = host;
    }

    Check gateway() {
        try {
            return Optional.ofNullable(Connection.find(host).client().health().gateway())
                    .map(GatewayChecks::running)
                    .orElse(Check.ok(NAME, "not told: the server is of an earlier version"));
        } catch (AshException | IllegalArgumentException e) {
            return port();
        }
    }

    private static Check running(HealthResponse.Gateway gateway) {
        return gateway.status().equals(GatewayApi.FAILED)
                ? Check.weak(
                        NAME,
                        "not available: no phone can connect",
                        String.valueOf(gateway.problem()))
                : Check.ok(NAME, GatewayText.line(gateway));
    }

    private Check port() {
        var told = host.variable("ASH_GATEWAY_PORT", USUAL_PORT);
        var address = host.variable("ASH_GATEWAY_HOST", "127.0.0.1");
        try (var probe = new ServerSocket()) {
            probe.bind(new InetSocketAddress(address, Integer.parseInt(told)));
            return Check.ok(NAME, "port %s is free".formatted(told));
        } catch (NumberFormatException e) {
            return Check.weak(NAME, "ASH_GATEWAY_PORT is " + told, "Set it to a number.");
        } catch (IOException | IllegalArgumentException e) {
            return Check.weak(
                    NAME,
                    "port %s on %s cannot be used: %s".formatted(told, address, e.getMessage()),
                    "Start Ash with another: ASH_GATEWAY_PORT=3001 ash start");
        }
    }
}
