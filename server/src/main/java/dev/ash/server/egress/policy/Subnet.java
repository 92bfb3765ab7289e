package dev.ash.server.egress.policy;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.util.Arrays;

/** A range of addresses: {@code 10.0.0.0/8}, or one address alone. */
public record Subnet(InetAddress network, int bits) {
    public Subnet {
        if (bits < 0 || bits > network.getAddress().length * 8) {
            throw new IllegalArgumentException(
                    "/%d is too long for %s".formatted(bits, network.getHostAddress()));
        }
    }

    /**
     * Parses an address or a range; never queries a name server.
     *
     * @throws IllegalArgumentException with a sentence for its author
     */
    public static Subnet parse(String text) {
        var parts = text.strip().split("/", -1);
        try {
            var address = InetAddress.ofLiteral(parts[0]);
            // Java also reads 10.0.0 as 10.0.0.0, and ::ffff:10.0.0.0 as that.
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
                    "'%s' is no address or range; expected one such as 10.0.0.5, 10.0.0.0/8 or fd00::/8"
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
        int whole = bits / 8;
        if (!Arrays.equals(prefix, 0, whole, address, 0, whole)) {
            return false;
        }
        int mask = 0xFF << (8 - bits % 8) & 0xFF;
        return bits % 8 == 0 || (prefix[whole] & mask) == (address[whole] & mask);
    }
}
