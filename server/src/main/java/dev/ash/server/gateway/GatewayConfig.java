package dev.ash.server.gateway;

import dev.ash.server.http.HttpConfig;
import dev.ash.server.net.Subnet;
import dev.ash.server.tls.PemFiles;
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
        boolean admitsPublic) {

    public GatewayConfig {
        proxies = List.copyOf(proxies);
        tunnels = List.copyOf(tunnels);
    }

    String host() {
        return http.host();
    }

    int port() {
        return http.port();
    }
}
