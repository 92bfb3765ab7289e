package dev.ash.server.device;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.rest.DeviceApi;
import dev.ash.server.http.Endpoint;
import dev.ash.server.http.Exchange;
import dev.ash.server.identity.Scope;
import dev.ash.server.store.Timestamps;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** REST endpoints below {@code /api/devices}: pair, list and revoke devices. */
public final class DeviceRoutes {
    private final Devices devices;
    private final GatewayStatus gateway;

    /** The address of the gateway, and the devices connected to it. */
    public interface GatewayStatus {
        /** Returns the address of the gateway; empty if it does not listen. */
        Optional<Address> address();

        /** Returns why an enabled gateway does not listen. */
        default Optional<String> problem() {
            return Optional.empty();
        }

        boolean isConnected(String deviceId);
    }

    /** An address of the gateway; {@code reachable} from other machines. */
    public record Address(String url, String fingerprint, boolean reachable) {}

    public DeviceRoutes(Devices devices, GatewayStatus gateway) {
        this.devices = devices;
        this.gateway = gateway;
    }

    public List<Endpoint> endpoints() {
        return List.of(
                Endpoint.post("/api/devices")
                        .scope(Scope.ADMIN)
                        .summary(
                                "Create a pairing token for a phone or browser; it is returned once")
                        .accepts(DeviceApi.PairDevice.class)
                        .returns(201, DeviceApi.PairingResponse.class)
                        .handledBy(this::pair),
                Endpoint.get("/api/devices")
                        .scope(Scope.ADMIN)
                        .summary("List devices")
                        .returns(200, DeviceApi.Devices.class)
                        .handledBy(this::list),
                Endpoint.delete("/api/devices/{id}")
                        .scope(Scope.ADMIN)
                        .summary("Revoke a device and close its connections")
                        .returns(204, Void.class)
                        .handledBy(this::revoke));
    }

    private void pair(Exchange exchange) {
        var address =
                gateway.address()
                        .orElseThrow(
                                () ->
                                        new ApiException(
                                                ErrorCode.INTERNAL,
                                                gateway.problem()
                                                        .map(
                                                                problem ->
                                                                        "No device can connect: "
                                                                                + problem)
                                                        .orElse(
                                                                "The gateway is disabled (ASH_GATEWAY=0); remove this setting and restart the server")));
        var request = exchange.body(DeviceApi.PairDevice.class);
        var pairing =
                devices.pair(
                        exchange.caller().tenant(),
                        request.name(),
                        DeviceScopes.parse(request.scopes()),
                        devices.tokenExpiry()
                                .resolve(request.expiresInDays(), request.tokenExpiresAt()));
        var expires =
                Timestamps.iso(pairing.device().createdAt() + Devices.PAIRING_TIMEOUT.toMillis());
        exchange.respond(
                201,
                new DeviceApi.PairingResponse(
                        new DeviceApi.Pairing(
                                pairing.device().id(),
                                address.url(),
                                pairing.token(),
                                address.fingerprint(),
                                expires,
                                address.reachable(),
                                DeviceScopes.names(pairing.device().scopes()),
                                iso(pairing.device().tokenExpiresAt()))));
    }

    private void list(Exchange exchange) {
        var all =
                devices.list(exchange.caller().tenant()).stream()
                        .map(
                                device ->
                                        new DeviceApi.Device(
                                                device.id(),
                                                device.name(),
                                                device.platform(),
                                                device.isPaired(),
                                                gateway.isConnected(device.id()),
                                                Timestamps.iso(device.createdAt()),
                                                iso(device.expiresAt()),
                                                iso(device.lastSeenAt()),
                                                DeviceScopes.names(device.scopes()),
                                                iso(device.tokenExpiresAt())))
                        .toList();
        exchange.respond(200, new DeviceApi.Devices(all));
    }

    private static @Nullable String iso(@Nullable Long at) {
        return at == null ? null : Timestamps.iso(at);
    }

    private void revoke(Exchange exchange) {
        devices.revoke(exchange.caller().tenant(), exchange.path("id"));
        exchange.respond(204);
    }
}
