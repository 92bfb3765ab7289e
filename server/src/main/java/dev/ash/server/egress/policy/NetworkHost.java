package dev.ash.server.egress.policy;

import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.regex.Pattern;

/**
 * A host in its canonical spelling, which is compared, resolved and connected to. Other spellings
 * are rejected, not normalized: every parser of a name from here to the network must read the same.
 */
public sealed interface NetworkHost {
    /** Lower-case letters, digits and inner hyphens; at least one letter in the last label. */
    record Name(String value) implements NetworkHost {
        @Override
        public String toString() {
            return value;
        }
    }

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
    Pattern SIX = Pattern.compile("\\[[0-9a-f:]{2,39}]");

    /** Throws {@link IllegalArgumentException} with the reason; it does not repeat the text. */
    static NetworkHost parse(String text) {
        if (text.isEmpty() || text.length() > MAX_LENGTH) {
            throw new IllegalArgumentException("a host has 1 to " + MAX_LENGTH + " characters");
        }
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) <= ' ' || text.charAt(i) >= 0x7F) {
                throw new IllegalArgumentException(
                        "a host has visible ASCII characters only (write names of other scripts"
                                + " as xn--…)");
            }
        }
        var lower = lower(text);
        return lower.startsWith("[") ? six(lower) : name(lower);
    }

    private static NetworkHost name(String text) {
        if (text.endsWith(".")) {
            throw new IllegalArgumentException("a host does not end with a dot");
        }
        var labels = text.split("\\.", -1);
        if (NUMBER.matcher(labels[labels.length - 1]).matches()) {
            return four(labels);
        }
        for (var label : labels) {
            if (!LABEL.matcher(label).matches()) {
                throw new IllegalArgumentException(
                        "a host name has labels of letters, digits and inner hyphens with dots"
                                + " between them");
            }
        }
        return new Name(text);
    }

    /** Resolvers read 127.1, 0x7f000001 and 017700000001 as addresses too, each in its own way. */
    private static NetworkHost four(String[] octets) {
        var bytes = new byte[4];
        if (octets.length != bytes.length) {
            throw notFour();
        }
        for (int i = 0; i < bytes.length; i++) {
            if (!OCTET.matcher(octets[i]).matches() || Integer.parseInt(octets[i]) > 255) {
                throw notFour();
            }
            bytes[i] = (byte) Integer.parseInt(octets[i]);
        }
        return new Literal(address(bytes));
    }

    private static NetworkHost six(String text) {
        if (!SIX.matcher(text).matches()) {
            throw notSix();
        }
        try {
            var address = InetAddress.ofLiteral(text.substring(1, text.length() - 1));
            // A mapped IPv4 address comes back as what it is; it has a shorter spelling.
            if (address instanceof Inet4Address) {
                throw notSix();
            }
            return new Literal(address);
        } catch (IllegalArgumentException e) {
            throw notSix();
        }
    }

    private static InetAddress address(byte[] bytes) {
        try {
            return InetAddress.getByAddress(bytes);
        } catch (java.net.UnknownHostException e) {
            throw new IllegalStateException(e); // only for a wrong number of bytes
        }
    }

    private static IllegalArgumentException notFour() {
        return new IllegalArgumentException(
                "an IPv4 address is written as four decimal numbers from 0 to 255");
    }

    private static IllegalArgumentException notSix() {
        return new IllegalArgumentException(
                "an IPv6 address is written in brackets, without a zone and without an IPv4 part");
    }

    /** Only ASCII, whatever the locale. */
    private static String lower(String text) {
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
