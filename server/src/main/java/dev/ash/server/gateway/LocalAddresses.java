package dev.ash.server.gateway;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** Finds and parses network addresses of this machine. */
final class LocalAddresses {
    /** Returns the address that a phone can most likely reach, preferring IPv4 and private ones. */
    static Optional<String> best() {
        try {
            return NetworkInterface.networkInterfaces()
                    .flatMap(NetworkInterface::inetAddresses)
                    .filter(address -> !address.isLoopbackAddress())
                    .filter(address -> !address.isLinkLocalAddress())
                    .min(
                            Comparator.comparingInt(
                                            (InetAddress address) -> address.getAddress().length)
                                    .thenComparing(address -> !address.isSiteLocalAddress()))
                    .map(LocalAddresses::withoutZone);
        } catch (SocketException e) {
            return Optional.empty();
        }
    }

    /** Parses an address of this machine or a wildcard address; empty for any other text. */
    static Optional<String> parse(String text) {
        try {
            var address = InetAddress.ofLiteral(text);
            if (address.isAnyLocalAddress()) {
                return Optional.of(address instanceof Inet6Address ? "::" : "0.0.0.0");
            }
            return NetworkInterface.getByInetAddress(address) == null
                    ? Optional.empty()
                    : Optional.of(address.getHostAddress());
        } catch (IllegalArgumentException | SocketException e) {
            return Optional.empty();
        }
    }

    /** Returns all addresses that other machines may reach. */
    static List<String> all() {
        try {
            return NetworkInterface.networkInterfaces()
                    .flatMap(NetworkInterface::inetAddresses)
                    .filter(address -> !address.isLoopbackAddress())
                    .filter(address -> !address.isLinkLocalAddress())
                    .map(LocalAddresses::withoutZone)
                    .toList();
        } catch (SocketException e) {
            return List.of();
        }
    }

    private static String withoutZone(InetAddress address) {
        var text = address.getHostAddress();
        int zone = text.indexOf('%');
        return zone < 0 ? text : text.substring(0, zone);
    }

    private LocalAddresses() {}
}
