package dev.ash.server.egress.policy;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.util.Arrays;

/** A range of IP addresses in CIDR notation, such as {@code 10.0.0.0/8}, or a single address. */
public record Subnet(InetAddress network, int bits) {
    public Subnet {
        if (bits < 0 || bits > network.getAddress().length * 8) {
            throw new IllegalArgumentException(
                    "prefix length %d is out of range for %s"
                            .formatted(bits, network.getHostAddress()));
        }
    }

    /**
     * Parses an address or a range without DNS queries.
     *
     * @throws IllegalArgumentException with a message for the author of the text
     */
    public static Subnet parse(String text) {
        var parts = text.strip().split("/", -1);
        try {
            var address = InetAddress.ofLiteral(parts[0]);
            // The JDK also parses 10.0.0 and ::ffff:10.0.0.0 as 10.0.0.0.
            if (address instanceof Inet4Address && !address.getHostAddress().equals(parts[0])) {
                throw new IllegalArgumentException();
            }
            return switch (parts.length) {
                case 1 -> new Subnet(address, address.getAddress().length * 8);
                case 2 -> new Subnet(address, Integer.parseInt(parts[1]));
                default -> throw new IllegalArgumentException();
            };
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "'%s' is not an address or range; expected for example 10.0.0.5, 10.0.0.0/8 or fd00::/8"
                            .formatted(text),
                    e);
        }
    }

    public boolean contains(InetAddress address) {
        return contains(address.getAddress());
    }

    public boolean contains(byte[] address) {
        var prefix = network.getAddress();
        if (address.length != prefix.length) {
            return false;
        }
        int wholeBytes = bits / 8;
        if (!Arrays.equals(prefix, 0, wholeBytes, address, 0, wholeBytes)) {
            return false;
        }
        int mask = 0xFF << (8 - bits % 8) & 0xFF;
        return bits % 8 == 0 || (prefix[wholeBytes] & mask) == (address[wholeBytes] & mask);
    }
}
