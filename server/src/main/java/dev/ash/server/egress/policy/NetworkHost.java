package dev.ash.server.egress.policy;

import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.regex.Pattern;

/**
 * A host in its canonical spelling, which is used to compare, resolve and connect. Apart from upper
 * case, other spellings are rejected, not normalized: other parsers might interpret them
 * differently.
 */
public sealed interface NetworkHost {
    /**
     * A host name: labels of lower-case letters, digits and inner hyphens; the last not a number.
     */
    record Name(String value) implements NetworkHost {
        @Override
        public String toString() {
            return value;
        }
    }

    /** An IPv4 or IPv6 address. */
    record Literal(InetAddress address) implements NetworkHost {
        @Override
        public String toString() {
            var text = address.getHostAddress();
            return address instanceof Inet6Address ? "[" + text + "]" : text;
        }
    }

    int MAX_LENGTH = 253;
    Pattern LABEL = Pattern.compile("[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?");
    Pattern NUMBER = Pattern.compile("[0-9]+|0x[0-9a-f]*");
    Pattern OCTET = Pattern.compile("0|[1-9][0-9]{0,2}");
    Pattern IPV6 = Pattern.compile("\\[[0-9a-f:]{2,39}]");

    /**
     * Parses a name or an address.
     *
     * @throws IllegalArgumentException with the reason; the message does not quote the text
     */
    static NetworkHost parse(String text) {
        if (text.isEmpty() || text.length() > MAX_LENGTH) {
            throw new IllegalArgumentException(
                    "the host must have 1 to " + MAX_LENGTH + " characters");
        }
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) <= ' ' || text.charAt(i) >= 0x7F) {
                throw new IllegalArgumentException(
                        "the host must consist of visible ASCII characters; write international"
                                + " names in their xn--… form");
            }
        }
        var lower = toLowerCase(text);
        return lower.startsWith("[") ? parseIpv6(lower) : parseName(lower);
    }

    private static NetworkHost parseName(String text) {
        if (text.endsWith(".")) {
            throw new IllegalArgumentException("the host must not end with a dot");
        }
        var labels = text.split("\\.", -1);
        if (NUMBER.matcher(labels[labels.length - 1]).matches()) {
            return parseIpv4(labels);
        }
        for (var label : labels) {
            if (!LABEL.matcher(label).matches()) {
                throw new IllegalArgumentException(
                        "a host name must consist of labels of letters, digits and inner hyphens,"
                                + " separated by dots");
            }
        }
        return new Name(text);
    }

    /**
     * Rejects forms such as 127.1, 0x7f000001 and 017700000001, which resolvers read differently.
     */
    private static NetworkHost parseIpv4(String[] octets) {
        var bytes = new byte[4];
        if (octets.length != bytes.length) {
            throw invalidIpv4();
        }
        for (int i = 0; i < bytes.length; i++) {
            if (!OCTET.matcher(octets[i]).matches() || Integer.parseInt(octets[i]) > 255) {
                throw invalidIpv4();
            }
            bytes[i] = (byte) Integer.parseInt(octets[i]);
        }
        return new Literal(address(bytes));
    }

    private static NetworkHost parseIpv6(String text) {
        if (!IPV6.matcher(text).matches()) {
            throw invalidIpv6();
        }
        try {
            var address = InetAddress.ofLiteral(text.substring(1, text.length() - 1));
            // The JDK converts IPv4-mapped addresses, whose canonical spelling is IPv4.
            if (address instanceof Inet4Address) {
                throw invalidIpv6();
            }
            return new Literal(address);
        } catch (IllegalArgumentException e) {
            throw invalidIpv6();
        }
    }

    private static InetAddress address(byte[] bytes) {
        try {
            return InetAddress.getByAddress(bytes);
        } catch (java.net.UnknownHostException e) {
            throw new IllegalStateException(e); // thrown only for a wrong number of bytes
        }
    }

    private static IllegalArgumentException invalidIpv4() {
        return new IllegalArgumentException(
                "an IPv4 address must be four decimal numbers from 0 to 255, separated by dots");
    }

    private static IllegalArgumentException invalidIpv6() {
        return new IllegalArgumentException(
                "an IPv6 address must be in brackets, without a zone and without an IPv4 part");
    }

    /** Converts ASCII letters only, independent of the locale. */
    private static String toLowerCase(String text) {
        var lower = new StringBuilder(text);
        for (int i = 0; i < lower.length(); i++) {
            char c = lower.charAt(i);
            if (c >= 'A' && c <= 'Z') {
                lower.setCharAt(i, (char) (c + 'a' - 'A'));
            }
        }
        return lower.toString();
    }
}
