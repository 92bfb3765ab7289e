package dev.ash.server.gateway;

import dev.ash.server.egress.policy.Subnet;
import dev.ash.server.http.ConnectionLimit;
import java.net.InetAddress;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Limits the TCP connections of one address to the gateway, in any state. The limit is higher than
 * those of {@link Connections}, which sends a reason. Trusted proxies are exempt, because they
 * connect for many devices, which are counted by their own addresses after the WebSocket upgrade.
 */
final class ListenerLimit implements ConnectionLimit {
    private final int limit;
    private final List<Subnet> proxies;
    private final Map<String, Integer> open = new HashMap<>(); // guarded by this

    ListenerLimit(GatewayConfig config) {
        this.limit = config.limits().perAddress() + config.limits().unauthenticatedPerAddress();
        this.proxies = Stream.concat(config.proxies().stream(), config.tunnels().stream()).toList();
    }

    @Override
    public synchronized boolean opened(InetAddress peer) {
        var address = Connections.limitKey(peer);
        int count = open.getOrDefault(address, 0);
        if (count >= limit && proxies.stream().noneMatch(proxy -> proxy.contains(peer))) {
            return false;
        }
        open.put(address, count + 1);
        return true;
    }

    @Override
    public synchronized void closed(InetAddress peer) {
        open.computeIfPresent(
                Connections.limitKey(peer), (_, count) -> count == 1 ? null : count - 1);
    }
}
