package dev.ash.server.gateway;

import dev.ash.server.egress.policy.Subnet;
import java.net.InetAddress;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Classifies connections by their address alone, because the peer chooses names and headers.
 * Trusted proxies may name the address behind them.
 *
 * @param proxies that end TLS and tell the truth about who is behind them
 * @param tunnels proxies that are the near end of a tunnel: whoever comes through one is no
 *     stranger
 * @param vpn ranges of interfaces of this host that lead into a private network of one's own
 */
record ConnectionClassifier(
        List<Subnet> proxies, List<Subnet> tunnels, Supplier<List<Subnet>> vpn) {
    private static final List<Subnet> OVERLAY =
            List.of(Subnet.parse("100.64.0.0/10"), Subnet.parse("fd7a:115c:a1e0::/48"));
    private static final List<Subnet> PRIVATE =
            List.of(
                    Subnet.parse("10.0.0.0/8"),
                    Subnet.parse("172.16.0.0/12"),
                    Subnet.parse("192.168.0.0/16"),
                    Subnet.parse("169.254.0.0/16"),
                    Subnet.parse("fc00::/7"),
                    Subnet.parse("fe80::/10"));

    ConnectionSource classify(InetAddress peer, boolean tls, Forwarded forwarded) {
        boolean viaTunnel = isIn(tunnels, peer);
        boolean viaProxy = viaTunnel || isIn(proxies, peer);
        if (!viaProxy) {
            boolean spoofed = forwarded.isPresent();
            return source(spoofed ? ConnectionMode.MISCONFIGURED : mode(peer), peer, tls);
        }
        var client = behind(peer, forwarded);
        boolean encrypted = forwarded.protocols().isEmpty() ? tls : forwarded.encrypted();
        if (client == null) {
            return source(ConnectionMode.MISCONFIGURED, peer, encrypted);
        }
        if (viaTunnel) {
            return source(ConnectionMode.SECURE_REMOTE, client, encrypted);
        }
        // A proxy that does not say whom it passes on may pass on anybody.
        boolean unknown = forwarded.addresses().isEmpty();
        return source(unknown ? ConnectionMode.DIRECT_PUBLIC : mode(client), client, encrypted);
    }

    private static ConnectionSource source(
            ConnectionMode mode, InetAddress address, boolean encrypted) {
        return new ConnectionSource(
                encrypted ? mode : ConnectionMode.MISCONFIGURED, address, encrypted);
    }

    /** The nearest hop that is no proxy of ours; null where a proxy says something unreadable. */
    private @Nullable InetAddress behind(InetAddress peer, Forwarded forwarded) {
        var nearest = peer;
        for (var hop : forwarded.addresses().reversed()) {
            try {
                nearest = InetAddress.ofLiteral(hop.strip());
            } catch (IllegalArgumentException e) {
                return null;
            }
            if (!isIn(proxies, nearest) && !isIn(tunnels, nearest)) {
                return nearest;
            }
        }
        return nearest;
    }

    private ConnectionMode mode(InetAddress address) {
        if (address.isLoopbackAddress()) {
            return ConnectionMode.LOCAL_ONLY;
        }
        if (isIn(OVERLAY, address) || isIn(vpn.get(), address)) {
            return ConnectionMode.SECURE_REMOTE;
        }
        return isIn(PRIVATE, address)
                ? ConnectionMode.PRIVATE_NETWORK
                : ConnectionMode.DIRECT_PUBLIC;
    }

    private static boolean isIn(List<Subnet> ranges, InetAddress address) {
        return ranges.stream().anyMatch(range -> range.contains(address));
    }
}
