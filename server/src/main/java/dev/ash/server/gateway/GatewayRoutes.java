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

/** REST endpoints at {@code /api/gateway}, for the server's operator only. */
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
                        .summary(
                                "Show the address of the gateway and whether other machines can reach it")
                        .returns(200, GatewayApi.GatewayResponse.class)
                        .handledBy(this::show),
                Endpoint.patch(PATH)
                        .scope(Scope.ADMIN)
                        .operator()
                        .summary("Move the gateway to another address and save it")
                        .accepts(GatewayApi.MoveGateway.class)
                        .returns(200, GatewayApi.GatewayResponse.class)
                        .handledBy(this::move));
    }

    private void show(Exchange exchange) {
        exchange.respond(200, answer(gateway.listener().awaitStart(), null));
    }

    private void move(Exchange exchange) {
        var request = exchange.body(GatewayApi.MoveGateway.class);
        var host = parseAddress(request.host());
        var port = Optional.ofNullable(request.port());
        if (port.isPresent() && (port.get() < 1 || port.get() > MAX_PORT)) {
            throw ApiException.invalid("port", "must be from 1 to " + MAX_PORT);
        }
        var state = gateway.move(host, port);
        exchange.respond(200, answer(state, save(host, port)));
    }

    /** Returns a note if the address will not be used after a restart. */
    private @Nullable String save(String host, Optional<Integer> port) {
        try {
            return setting.save(host, port).orElse(null);
        } catch (IOException e) {
            return "The address is used until the server exits, because the settings cannot be written: "
                    + e.getMessage();
        }
    }

    /** Rejects host names, because they may resolve to another address after this check. */
    private static String parseAddress(String text) {
        var host = text.strip().replaceFirst("^\\[(.*)]$", "$1");
        if (Origins.isLoopback(host)) {
            return host.equalsIgnoreCase("localhost") ? "127.0.0.1" : host;
        }
        return LocalAddresses.parse(host)
                .orElseThrow(
                        () ->
                                ApiException.invalid(
                                        "host",
                                        "must be an IP address of this machine (%s), or 0.0.0.0 for all of them"
                                                .formatted(
                                                        String.join(", ", LocalAddresses.all()))));
    }

    private static GatewayApi.GatewayResponse answer(
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
