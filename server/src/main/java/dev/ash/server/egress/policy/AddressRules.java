package dev.ash.server.egress.policy;

import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;

/** Classifies IP addresses by what is required to allow a sandbox to connect to them. */
public final class AddressRules {
    /** Ordered from public to never allowed; allowing a class allows the classes before it. */
    enum AddressClass {
        /** Addresses on the internet. */
        PUBLIC,
        /** Private networks and this host: allowed only by patterns of exact hosts. */
        PRIVATE,
        /**
         * Link-local and cloud metadata addresses: allowed only by patterns of literal addresses.
         */
        LOCAL,
        /** Reserved addresses and those of more than one host: never allowed. */
        NEVER
    }

    private record Range(Subnet subnet, AddressClass addressClass) {
        boolean contains(byte[] address) {
            return subnet.contains(address);
        }
    }

    /** The first range that contains an address applies. */
    private static final List<Range> RANGES =
            List.of(
                    range("0.0.0.0/8", AddressClass.NEVER),
                    range("10.0.0.0/8", AddressClass.PRIVATE),
                    range("100.100.100.200/32", AddressClass.LOCAL), // cloud metadata
                    range("100.64.0.0/10", AddressClass.PRIVATE), // carrier-grade NAT
                    range("127.0.0.0/8", AddressClass.PRIVATE),
                    range("168.63.129.16/32", AddressClass.LOCAL), // cloud metadata
                    range("169.254.0.0/16", AddressClass.LOCAL),
                    range("172.16.0.0/12", AddressClass.PRIVATE),
                    range("192.0.0.0/24", AddressClass.LOCAL), // protocols; cloud metadata
                    range("192.0.2.0/24", AddressClass.NEVER), // documentation
                    range("192.88.99.0/24", AddressClass.NEVER), // 6to4 relays
                    range("192.168.0.0/16", AddressClass.PRIVATE),
                    range("198.18.0.0/15", AddressClass.PRIVATE), // benchmarking
                    range("198.51.100.0/24", AddressClass.NEVER), // documentation
                    range("203.0.113.0/24", AddressClass.NEVER), // documentation
                    range("224.0.0.0/4", AddressClass.NEVER), // multicast
                    range("240.0.0.0/4", AddressClass.NEVER), // reserved, broadcast
                    range("0.0.0.0/0", AddressClass.PUBLIC),
                    range("::1/128", AddressClass.PRIVATE),
                    range("fd00:ec2::/32", AddressClass.LOCAL), // cloud metadata
                    range("fd20:ce::/32", AddressClass.LOCAL), // cloud metadata
                    range("fc00::/7", AddressClass.PRIVATE),
                    range("fe80::/10", AddressClass.LOCAL),
                    range("fec0::/10", AddressClass.PRIVATE),
                    range("2001::/23", AddressClass.NEVER), // protocols, including Teredo
                    range("2001:db8::/32", AddressClass.NEVER), // documentation
                    range("3fff::/20", AddressClass.NEVER), // documentation
                    range(
                            "2000::/3",
                            AddressClass.PUBLIC)); // all global unicast addresses allocated so far

    /** IPv6 addresses with an embedded IPv4 address, which determines their class. */
    private static final List<Range> EMBEDDED =
            List.of(
                    range("64:ff9b::/96", AddressClass.PUBLIC),
                    range("2002::/16", AddressClass.PUBLIC),
                    range("::ffff:0:0:0/96", AddressClass.PUBLIC));

    /** Names reserved for private networks by RFC 6761, 6762, 8375 and by ICANN. */
    private static final List<String> PRIVATE_NAMES =
            List.of(
                    "localhost",
                    "localdomain",
                    "ip6-localhost",
                    "ip6-loopback",
                    "local",
                    "internal",
                    "home.arpa");

    private final Predicate<InetAddress> isOwnAddress;

    public AddressRules(Predicate<InetAddress> isOwnAddress) {
        this.isOwnAddress = isOwnAddress;
    }

    /** Treats public addresses of this host as private: services there may be for the host only. */
    public static AddressRules ofThisHost() {
        return new AddressRules(AddressRules::isLocalInterface);
    }

    boolean permits(InetAddress address, AddressClass widest) {
        var addressClass = classify(address);
        return addressClass != AddressClass.NEVER && addressClass.compareTo(widest) <= 0;
    }

    /** Classifies by the text alone: a name that looks public may resolve to a private address. */
    AddressClass classify(NetworkHost host) {
        return switch (host) {
            case NetworkHost.Literal(var address) -> classify(address);
            case NetworkHost.Name(var name) ->
                    PRIVATE_NAMES.stream().anyMatch(top -> ("." + name).endsWith("." + top))
                            ? AddressClass.PRIVATE
                            : AddressClass.PUBLIC;
        };
    }

    AddressClass classify(InetAddress address) {
        for (var range : EMBEDDED) {
            if (range.contains(address.getAddress())) {
                int at = range.subnet().bits() == 16 ? 2 : 12;
                // Through a translator, a public address could lead to a private host.
                return classify(embeddedAddress(address.getAddress(), at)) == AddressClass.PUBLIC
                        ? AddressClass.PUBLIC
                        : AddressClass.NEVER;
            }
        }
        var addressClass = classify(address.getAddress());
        return addressClass == AddressClass.PUBLIC && isOwnAddress.test(address)
                ? AddressClass.PRIVATE
                : addressClass;
    }

    private static InetAddress embeddedAddress(byte[] address, int at) {
        try {
            return InetAddress.getByAddress(Arrays.copyOfRange(address, at, at + 4));
        } catch (UnknownHostException e) {
            throw new IllegalStateException(e); // thrown only for a wrong number of bytes
        }
    }

    private static AddressClass classify(byte[] address) {
        for (var range : RANGES) {
            if (range.contains(address)) {
                return range.addressClass();
            }
        }
        return AddressClass.NEVER;
    }

    private static boolean isLocalInterface(InetAddress address) {
        try {
            return NetworkInterface.getByInetAddress(address) != null;
        } catch (SocketException e) {
            return true; // possibly an address of this host
        }
    }

    private static Range range(String text, AddressClass addressClass) {
        return new Range(Subnet.parse(text), addressClass);
    }
}
