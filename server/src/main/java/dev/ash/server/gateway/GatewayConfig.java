package dev.ash.server.gateway;

import dev.ash.server.egress.policy.Subnet;
import dev.ash.server.http.HttpConfig;
import dev.ash.server.http.Origins;
import dev.ash.server.tls.PemFiles;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;

/**
 * Where devices connect, and whom the gateway believes.
 *
 * @param files a certificate chain and its key, where a person has some
 * @param url the address that devices are told, where it is not the one listened on
 * @param proxies trusted to tell who is behind them
 * @param tunnels the same, and whoever is behind them came through a tunnel
 * @param admitsPublic whether devices may come over the open internet, once a person accepts it
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
     * How many connections may be open at once.
     *
     * @param perAddress of one IPv4 address or one /64 of IPv6 addresses
     * @param unauthenticatedPerAddress of those, before a device has sent its token
     * @param perDevice of one device; one more ends the oldest
     */
    public record Limits(int perAddress, int unauthenticatedPerAddress, int perDevice) {
        public static final Limits DEFAULT = new Limits(256, 64, 16);
    }

    public GatewayConfig {
        proxies = List.copyOf(proxies);
        tunnels = List.copyOf(tunnels);
    }

    /** The same at another address. */
    GatewayConfig at(String host, int port) {
        var hosts = new HashSet<>(http.allowedHosts());
        hosts.remove(Origins.ANY_HOST);
        if (!Origins.isLoopback(host)) {
            hosts.add(Origins.ANY_HOST); // a page cannot rebind a name to TLS: no certificate fits
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
