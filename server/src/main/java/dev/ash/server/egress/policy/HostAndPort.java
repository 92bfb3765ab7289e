package dev.ash.server.egress.policy;

import java.util.regex.Pattern;

/** The destination of a request. */
public record HostAndPort(NetworkHost host, int port) {
    private static final Pattern PORT = Pattern.compile("[1-9][0-9]{0,4}");
    public static final int NONE = 0;

    /** The part of a URI before its path; {@code defaultPort} may be {@link #NONE}. */
    public static HostAndPort parse(String authority, int defaultPort) {
        if (authority.indexOf('@') >= 0) {
            throw new IllegalArgumentException("a user name before the host is not accepted");
        }
        int colon = authority.lastIndexOf(':');
        if (colon <= authority.lastIndexOf(']')) { // no port; the colons of IPv6 are in brackets
            return new HostAndPort(NetworkHost.parse(authority), defaultPort);
        }
        return new HostAndPort(
                NetworkHost.parse(authority.substring(0, colon)),
                port(authority.substring(colon + 1)));
    }

    private static int port(String text) {
        int port = PORT.matcher(text).matches() ? Integer.parseInt(text) : NONE;
        if (port < 1 || port > 65_535) {
            throw new IllegalArgumentException("a port is a number from 1 to 65535");
        }
        return port;
    }

    @Override
    public String toString() {
        return host + ":" + port;
    }
}
