package dev.ash.server.gateway;

import dev.ash.server.egress.policy.Subnet;
import dev.ash.server.http.HttpConfig;
import dev.ash.server.http.Origins;
import dev.ash.server.tls.PemFiles;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;

/**
 * Configures the gateway: its address, certificate, trusted proxies and limits.
 *
 * @param files a custom certificate chain and its key
 * @param url the address sent to devices, if it differs from the one listened on
 * @param proxies proxies whose forwarded headers are trusted
 * @param tunnels like {@code proxies}; all connections through them are tunneled
 * @param admitsPublic whether devices may connect over the public internet after their user has
 *     acknowledged the warning
 */
public record GatewayConfig(
        boolean enabled,
        HttpConfig http,
        Optional<PemFiles> files,
        Optional<String> url,
        List<Subnet> proxies,
        List<Subnet> tunnels,
        boolean admitsPublic,
        Limits limits) {

    /**
     * Maximum numbers of open connections.
     *
     * @param perAddress of one IPv4 address or one /64 of IPv6 addresses
     * @param unauthenticatedPerAddress of those, connections that have not authenticated yet
     * @param perDevice of one device; a further one closes the oldest
     */
    public record Limits(int perAddress, int unauthenticatedPerAddress, int perDevice) {
        public static final Limits DEFAULT = new Limits(256, 64, 16);
    }

    public GatewayConfig {
        proxies = List.copyOf(proxies);
        tunnels = List.copyOf(tunnels);
    }

    /** Returns this configuration with another address. */
    GatewayConfig withAddress(String host, int port) {
        var hosts = new HashSet<>(http.allowedHosts());
        hosts.remove(Origins.ANY_HOST);
        if (!Origins.isLoopback(host)) {
            // DNS rebinding fails with TLS: the certificate does not match the attacker's name.
            hosts.add(Origins.ANY_HOST);
        }
        var moved =
                new HttpConfig(
                        host,
                        port,
                        http.stalledReader(),
                        http.drain(),
                        hosts,
                        http.allowedOrigins(),
                        http.requestsPerMinute());
        return new GatewayConfig(
                enabled, moved, files, url, proxies, tunnels, admitsPublic, limits);
    }

    String host() {
        return http.host();
    }

    int port() {
        return http.port();
    }
}
