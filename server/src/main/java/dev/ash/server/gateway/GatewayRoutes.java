package dev.ash.server.gateway;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.rest.GatewayApi;
import dev.ash.server.device.DeviceRoutes;
import dev.ash.server.http.Endpoint;
import dev.ash.server.http.Exchange;
import dev.ash.server.http.Origins;
import dev.ash.server.identity.Scope;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** {@code /api/gateway}: where devices connect, for the tenant of the server's operator only. */
final class GatewayRoutes {
    private static final String PATH = "/api/gateway";
    private static final int MAX_PORT = 65535;

    private final Gateway gateway;
    private final AddressSetting setting;

    GatewayRoutes(Gateway gateway, AddressSetting setting) {
        this.gateway = gateway;
        this.setting = setting;
    }

    List<Endpoint> endpoints() {
        return List.of(
                Endpoint.get(PATH)
                        .scope(Scope.ADMIN)
                        .operator()
                        .summary("Show where devices connect, and whether other machines can")
                        .answers(200, GatewayApi.GatewayResponse.class)
                        .handledBy(this::show),
                Endpoint.patch(PATH)
                        .scope(Scope.ADMIN)
                        .operator()
                        .summary("Let devices connect at another address, now and after restarts")
                        .takes(GatewayApi.MoveGateway.class)
                        .answers(200, GatewayApi.GatewayResponse.class)
                        .handledBy(this::move));
    }

    private void show(Exchange exchange) {
        exchange.answer(200, shown(gateway.listener().awaited(), null));
    }

    private void move(Exchange exchange) {
        var request = exchange.body(GatewayApi.MoveGateway.class);
        var host = address(request.host());
        var port = Optional.ofNullable(request.port());
        if (port.isPresent() && (port.get() < 1 || port.get() > MAX_PORT)) {
            throw ApiException.invalid("port", "must be from 1 to " + MAX_PORT);
        }
        var state = gateway.move(host, port);
        exchange.answer(200, shown(state, kept(host, port)));
    }

    private @Nullable String kept(String host, Optional<Integer> port) {
        try {
            return setting.keep(host, port).orElse(null);
        } catch (IOException e) {
            return "The settings cannot be written, so this holds until the server ends: "
                    + e.getMessage();
        }
    }

    /** No names: what one leads to can change after it was checked. */
    private static String address(String text) {
        var host = text.strip().replaceFirst("^\\[(.*)]$", "$1");
        if (Origins.isLoopback(host)) {
            return host.equalsIgnoreCase("localhost") ? "127.0.0.1" : host;
        }
        return LocalAddresses.parse(host)
                .orElseThrow(
                        () ->
                                ApiException.invalid(
                                        "host",
                                        "must be an IP address of this machine, which has %s; 0.0.0.0 stands for all of them"
                                                .formatted(
                                                        String.join(", ", LocalAddresses.all()))));
    }

    private static GatewayApi.GatewayResponse shown(
            GatewayListener.State state, @Nullable String note) {
        var address = state.address();
        return new GatewayApi.GatewayResponse(
                new GatewayApi.Gateway(
                        state.status(),
                        state.config().host(),
                        state.port(),
                        address.map(DeviceRoutes.Address::url).orElse(null),
                        address.map(DeviceRoutes.Address::fingerprint).orElse(null),
                        address.map(DeviceRoutes.Address::reachable).orElse(false),
                        state.problem(),
                        note));
    }
}
