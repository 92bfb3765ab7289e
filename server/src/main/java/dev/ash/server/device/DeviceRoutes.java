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

/** The endpoints below {@code /api/devices}. */
public final class DeviceRoutes {
    private final Devices devices;
    private final GatewayStatus gateway;

    /** Where devices connect. */
    public interface GatewayStatus {
        /** Empty if the server runs without one. */
        Optional<Address> address();

        /** Why there is none, if it should be there. */
        default Optional<String> problem() {
            return Optional.empty();
        }

        boolean isConnected(String deviceId);
    }

    public record Address(String url, String fingerprint, boolean reachable) {}

    public DeviceRoutes(Devices devices, GatewayStatus gateway) {
        this.devices = devices;
        this.gateway = gateway;
    }

    public List<Endpoint> endpoints() {
        return List.of(
                Endpoint.post("/api/devices")
                        .scope(Scope.ADMIN)
                        .summary("Make a pairing token for a phone or browser; it is shown once")
                        .takes(DeviceApi.PairDevice.class)
                        .answers(201, DeviceApi.PairingResponse.class)
                        .handledBy(this::pair),
                Endpoint.get("/api/devices")
                        .scope(Scope.ADMIN)
                        .summary("List devices")
                        .answers(200, DeviceApi.Devices.class)
                        .handledBy(this::list),
                Endpoint.delete("/api/devices/{id}")
                        .scope(Scope.ADMIN)
                        .summary("Revoke a device; its connections end at once")
                        .answers(204, Void.class)
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
                                                        .map(why -> "No device can connect: " + why)
                                                        .orElse(
                                                                "This server runs without a gateway (ASH_GATEWAY=0)")));
        var request = exchange.body(DeviceApi.PairDevice.class);
        var pairing =
                devices.pair(
                        exchange.caller().tenant(),
                        request.name(),
                        DeviceScopes.chosen(request.scopes()),
                        devices.expiry().of(request.expiresInDays(), request.tokenExpiresAt()));
        var expires = Timestamps.iso(pairing.device().createdAt() + Devices.PAIRING.toMillis());
        exchange.answer(
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
        exchange.answer(200, new DeviceApi.Devices(all));
    }

    private static @Nullable String iso(@Nullable Long at) {
        return at == null ? null : Timestamps.iso(at);
    }

    private void revoke(Exchange exchange) {
        devices.revoke(exchange.caller().tenant(), exchange.path("id"));
        exchange.answer(204);
    }
}
