package dev.ash.server;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.Limits;
import dev.ash.server.egress.policy.Subnet;
import dev.ash.server.gateway.GatewayConfig;
import dev.ash.server.http.HttpConfig;
import dev.ash.server.http.Origins;
import java.net.URI;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;

/** Reads the settings of the device gateway. */
final class GatewaySettings {
    private static final int DEFAULT_PORT = 3000;
    private static final int MAX_CONNECTIONS = 1_000_000;

    static GatewayConfig read(Settings settings) {
        return new GatewayConfig(
                !settings.text("ASH_GATEWAY").orElse("1").equals("0"),
                http(settings),
                TlsSettings.files(settings, "ASH_GATEWAY"),
                settings.text("ASH_GATEWAY_URL"),
                ranges(settings, "ASH_TRUSTED_PROXIES"),
                ranges(settings, "ASH_TUNNEL_PROXIES"),
                !settings.text("ASH_GATEWAY_PUBLIC").orElse("1").equals("0"),
                limits(settings));
    }

    private static GatewayConfig.Limits limits(Settings settings) {
        var defaults = GatewayConfig.Limits.DEFAULT;
        int perAddress =
                settings.number(
                        "ASH_GATEWAY_MAX_CONNECTIONS_PER_ADDRESS",
                        defaults.perAddress(),
                        1,
                        MAX_CONNECTIONS);
        return new GatewayConfig.Limits(
                perAddress,
                settings.number(
                        "ASH_GATEWAY_MAX_UNAUTHENTICATED_PER_ADDRESS",
                        Math.min(defaults.unauthenticatedPerAddress(), perAddress),
                        1,
                        MAX_CONNECTIONS),
                settings.number(
                        "ASH_GATEWAY_MAX_CONNECTIONS_PER_DEVICE",
                        defaults.perDevice(),
                        1,
                        MAX_CONNECTIONS));
    }

    private static HttpConfig http(Settings settings) {
        var hosts = new HashSet<>(settings.list("ASH_ALLOWED_HOSTS"));
        settings.text("ASH_GATEWAY_URL").ifPresent(url -> hosts.add(host(url)));
        var host = settings.text("ASH_GATEWAY_HOST").orElse("127.0.0.1");
        if (!Origins.isLoopback(host)) {
            // DNS rebinding fails with TLS: no certificate matches the attacker's host name.
            hosts.add(Origins.ANY_HOST);
        }
        return new HttpConfig(
                host,
                settings.number("ASH_GATEWAY_PORT", DEFAULT_PORT, 0, 65535),
                Limits.STALLED_READER_TIMEOUT,
                Duration.ofSeconds(5),
                hosts,
                settings.list("ASH_ALLOWED_ORIGINS", "ALLOWED_ORIGINS"),
                0);
    }

    private static String host(String url) {
        try {
            var address = URI.create(url);
            if ("wss".equals(address.getScheme()) && address.getHost() != null) {
                return address.getHost();
            }
        } catch (IllegalArgumentException e) {
            // reported below
        }
        throw invalid(
                "ASH_GATEWAY_URL is \"%s\"; expected the address that devices connect to, like wss://devbox.example.net:3000"
                        .formatted(url));
    }

    private static List<Subnet> ranges(Settings settings, String name) {
        try {
            return settings.list(name).stream().map(Subnet::parse).toList();
        } catch (IllegalArgumentException e) {
            throw new ApiException(ErrorCode.VALIDATION_FAILED, name + ": " + e.getMessage(), e);
        }
    }

    private static ApiException invalid(String message) {
        return new ApiException(ErrorCode.VALIDATION_FAILED, message);
    }

    private GatewaySettings() {}
}
