package dev.ash.server.gateway;

import dev.ash.server.egress.policy.Subnet;
import java.net.InetAddress;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Determines the {@link ConnectionMode} of connections by their address only, because a peer can
 * send any name and header. Forwarded headers are used only from trusted proxies.
 *
 * @param proxies trusted proxies that terminate TLS
 * @param tunnels trusted proxies at the local end of a tunnel
 * @param vpn ranges of the VPN interfaces of this host
 */
record ConnectionClassifier(
        List<Subnet> proxies, List<Subnet> tunnels, Supplier<List<Subnet>> vpn) {
    private static final List<Subnet> TAILSCALE =
            List.of(Subnet.parse("100.64.0.0/10"), Subnet.parse("fd7a:115c:a1e0::/48"));
    private static final List<Subnet> PRIVATE =
            List.of(
                    Subnet.parse("10.0.0.0/8"),
                    Subnet.parse("172.16.0.0/12"),
                    Subnet.parse("192.168.0.0/16"),
                    Subnet.parse("169.254.0.0/16"),
                    Subnet.parse("fc00::/7"),
                    Subnet.parse("fe80::/10"));

    ConnectionSource classify(InetAddress peer, boolean tls, ForwardedHeaders forwarded) {
        boolean viaTunnel = isIn(tunnels, peer);
        boolean viaProxy = viaTunnel || isIn(proxies, peer);
        if (!viaProxy) {
            boolean spoofed = forwarded.isPresent();
            return source(spoofed ? ConnectionMode.MISCONFIGURED : mode(peer), peer, tls);
        }
        var client = clientAddress(peer, forwarded);
        boolean encrypted = forwarded.protocols().isEmpty() ? tls : forwarded.isEncrypted();
        if (client == null) {
            return source(ConnectionMode.MISCONFIGURED, peer, encrypted);
        }
        if (viaTunnel) {
            return source(ConnectionMode.SECURE_REMOTE, client, encrypted);
        }
        // Without a forwarded address the client may be anywhere.
        boolean unknown = forwarded.addresses().isEmpty();
        return source(unknown ? ConnectionMode.DIRECT_PUBLIC : mode(client), client, encrypted);
    }

    private static ConnectionSource source(
            ConnectionMode mode, InetAddress address, boolean encrypted) {
        return new ConnectionSource(
                encrypted ? mode : ConnectionMode.MISCONFIGURED, address, encrypted);
    }

    /** Returns the nearest hop that is not a trusted proxy; null if an address is invalid. */
    private @Nullable InetAddress clientAddress(InetAddress peer, ForwardedHeaders forwarded) {
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
        if (isIn(TAILSCALE, address) || isIn(vpn.get(), address)) {
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
