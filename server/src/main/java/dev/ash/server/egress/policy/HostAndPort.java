package dev.ash.server.egress.policy;

import java.util.regex.Pattern;

/** A host and a TCP port. */
public record HostAndPort(NetworkHost host, int port) {
    private static final Pattern PORT = Pattern.compile("[1-9][0-9]{0,4}");

    /** The port of an authority without a port. */
    public static final int NONE = 0;

    /** Parses the authority of a URI; {@code defaultPort} may be {@link #NONE}. */
    public static HostAndPort parse(String authority, int defaultPort) {
        if (authority.indexOf('@') >= 0) {
            throw new IllegalArgumentException("user information before the host is not supported");
        }
        int colon = authority.lastIndexOf(':');
        if (colon
                <= authority.lastIndexOf(
                        ']')) { // no port: colons of IPv6 addresses are in brackets
            return new HostAndPort(NetworkHost.parse(authority), defaultPort);
        }
        return new HostAndPort(
                NetworkHost.parse(authority.substring(0, colon)),
                port(authority.substring(colon + 1)));
    }

    private static int port(String text) {
        int port = PORT.matcher(text).matches() ? Integer.parseInt(text) : NONE;
        if (port < 1 || port > 65_535) {
            throw new IllegalArgumentException("the port must be a number from 1 to 65535");
        }
        return port;
    }

    @Override
    public String toString() {
        return host + ":" + port;
    }
}
