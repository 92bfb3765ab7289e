package dev.ash.server.egress.policy;

import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;

/** Classifies addresses: which of them a sandbox may connect to, under any name. */
public final class AddressRules {
    /** How far a rule of the policy leads; each includes the ones before it. */
    enum Reach {
        /** The internet. */
        PUBLIC,
        /** Private networks and this host: only for a host that is named exactly. */
        PRIVATE,
        /** Link-local and cloud metadata addresses: only for an address that is itself named. */
        LOCAL,
        /** No single host: never. */
        NEVER
    }

    private record Range(Subnet subnet, Reach reach) {
        boolean contains(byte[] address) {
            return subnet.contains(address);
        }
    }

    /** The first that contains an address counts. */
    private static final List<Range> RANGES =
            List.of(
                    range("0.0.0.0/8", Reach.NEVER),
                    range("10.0.0.0/8", Reach.PRIVATE),
                    range("100.100.100.200/32", Reach.LOCAL), // metadata of a cloud
                    range("100.64.0.0/10", Reach.PRIVATE), // carrier-grade NAT
                    range("127.0.0.0/8", Reach.PRIVATE),
                    range("168.63.129.16/32", Reach.LOCAL), // metadata of a cloud
                    range("169.254.0.0/16", Reach.LOCAL),
                    range("172.16.0.0/12", Reach.PRIVATE),
                    range("192.0.0.0/24", Reach.LOCAL), // protocols; metadata of a cloud
                    range("192.0.2.0/24", Reach.NEVER), // documentation
                    range("192.88.99.0/24", Reach.NEVER), // relays of 6to4
                    range("192.168.0.0/16", Reach.PRIVATE),
                    range("198.18.0.0/15", Reach.PRIVATE), // benchmarks
                    range("198.51.100.0/24", Reach.NEVER), // documentation
                    range("203.0.113.0/24", Reach.NEVER), // documentation
                    range("224.0.0.0/4", Reach.NEVER), // multicast
                    range("240.0.0.0/4", Reach.NEVER), // reserved, broadcast
                    range("0.0.0.0/0", Reach.PUBLIC),
                    range("::1/128", Reach.PRIVATE),
                    range("fd00:ec2::/32", Reach.LOCAL), // metadata of a cloud
                    range("fd20:ce::/32", Reach.LOCAL), // metadata of a cloud
                    range("fc00::/7", Reach.PRIVATE),
                    range("fe80::/10", Reach.LOCAL),
                    range("fec0::/10", Reach.PRIVATE),
                    range("2001::/23", Reach.NEVER), // protocols, Teredo among them
                    range("2001:db8::/32", Reach.NEVER), // documentation
                    range("3fff::/20", Reach.NEVER), // documentation
                    range("2000::/3", Reach.PUBLIC)); // all that is handed out so far

    /** Addresses that carry an IPv4 address, which counts for them. */
    private static final List<Range> EMBEDDED =
            List.of(
                    range("64:ff9b::/96", Reach.PUBLIC),
                    range("2002::/16", Reach.PUBLIC),
                    range("::ffff:0:0:0/96", Reach.PUBLIC));

    /** Names that belong to private networks by RFC 6761, 6762, 8375 and a decision of ICANN. */
    private static final List<String> PRIVATE_NAMES =
            List.of(
                    "localhost",
                    "localdomain",
                    "ip6-localhost",
                    "ip6-loopback",
                    "local",
                    "internal",
                    "home.arpa");

    private final Predicate<InetAddress> own;

    public AddressRules(Predicate<InetAddress> own) {
        this.own = own;
    }

    /** A public address of this very host leads to services that were meant for it alone. */
    public static AddressRules ofThisHost() {
        return new AddressRules(AddressRules::isLocalInterface);
    }

    boolean permits(InetAddress address, Reach reach) {
        var needed = needed(address);
        return needed != Reach.NEVER && needed.compareTo(reach) <= 0;
    }

    /** What the text of a host shows; a name that looks public may still resolve otherwise. */
    Reach needed(NetworkHost host) {
        return switch (host) {
            case NetworkHost.Literal(var address) -> needed(address);
            case NetworkHost.Name(var name) ->
                    PRIVATE_NAMES.stream().anyMatch(top -> ("." + name).endsWith("." + top))
                            ? Reach.PRIVATE
                            : Reach.PUBLIC;
        };
    }

    Reach needed(InetAddress address) {
        for (var range : EMBEDDED) {
            if (range.contains(address.getAddress())) {
                int at = range.subnet().bits() == 16 ? 2 : 12;
                // A translator would reach a private host that no exact name allows.
                return needed(embedded(address.getAddress(), at)) == Reach.PUBLIC
                        ? Reach.PUBLIC
                        : Reach.NEVER;
            }
        }
        var needed = needed(address.getAddress());
        return needed == Reach.PUBLIC && own.test(address) ? Reach.PRIVATE : needed;
    }

    private static InetAddress embedded(byte[] address, int at) {
        try {
            return InetAddress.getByAddress(Arrays.copyOfRange(address, at, at + 4));
        } catch (UnknownHostException e) {
            throw new IllegalStateException(e); // only for a wrong number of bytes
        }
    }

    private static Reach needed(byte[] address) {
        for (var range : RANGES) {
            if (range.contains(address)) {
                return range.reach();
            }
        }
        return Reach.NEVER;
    }

    private static boolean isLocalInterface(InetAddress address) {
        try {
            return NetworkInterface.getByInetAddress(address) != null;
        } catch (SocketException e) {
            return true; // not known to be another host
        }
    }

    private static Range range(String text, Reach reach) {
        return new Range(Subnet.parse(text), reach);
    }
}
