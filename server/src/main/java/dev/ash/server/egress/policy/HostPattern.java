package dev.ash.server.egress.policy;

import dev.ash.protocol.Excerpt;

/**
 * One entry of {@code network.allow}: a name such as {@code example.com}, a wildcard such as {@code
 * *.example.com} (every name below it, but not itself) or an address, each with an optional {@code
 * :port}. Without a port it matches the ports 80 and 443.
 */
public final class HostPattern {
    private static final String WILDCARD = "*.";

    private final NetworkHost host;
    private final boolean wildcard;
    private final int port;

    private HostPattern(NetworkHost host, boolean wildcard, int port) {
        this.host = host;
        this.wildcard = wildcard;
        this.port = port;
    }

    /**
     * Parses an entry of a setting or a request.
     *
     * @throws IllegalArgumentException with a message for the author of the entry
     */
    public static HostPattern parse(String text) {
        try {
            return parsePattern(text);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "network.allow: invalid pattern '"
                            + printable(text)
                            + "': "
                            + e.getMessage()
                            + "; expected a host such as example.com, *.example.com or"
                            + " example.com:8443",
                    e);
        }
    }

    private static HostPattern parsePattern(String text) {
        if (text.equals("*")) {
            throw new IllegalArgumentException("to allow every host, set network to \"open\"");
        }
        if (text.contains("/")) {
            throw new IllegalArgumentException("a pattern must have no scheme and no path");
        }
        boolean wildcard = text.startsWith(WILDCARD);
        var named = HostAndPort.parse(wildcard ? text.substring(WILDCARD.length()) : text, 0);
        if (wildcard
                && !(named.host() instanceof NetworkHost.Name(var name) && name.contains("."))) {
            throw new IllegalArgumentException(
                    "*. must be followed by a name of at least two labels");
        }
        return new HostPattern(named.host(), wildcard, named.port());
    }

    boolean matches(HostAndPort destination) {
        return matchesHost(destination.host()) && matchesPort(destination.port());
    }

    boolean matchesHost(NetworkHost candidate) {
        if (!wildcard) {
            return host.equals(candidate);
        }
        return candidate instanceof NetworkHost.Name(var name) && name.endsWith("." + host);
    }

    private boolean matchesPort(int candidate) {
        return port == HostAndPort.NONE ? candidate == 80 || candidate == 443 : candidate == port;
    }

    /** Returns whether the pattern names a single host, and so may allow private addresses. */
    boolean isExact() {
        return !wildcard;
    }

    /** Returns false for a private host; a name that looks public may still resolve to one. */
    public boolean looksPublic() {
        return AddressRules.ofThisHost().classify(host) == AddressRules.AddressClass.PUBLIC;
    }

    /**
     * Returns whether both patterns name the same host and this one allows all ports of the other.
     */
    public boolean covers(HostPattern other) {
        boolean coversPorts =
                port == other.port || (port == HostAndPort.NONE && matchesPort(other.port));
        return isExact() && other.isExact() && host.equals(other.host) && coversPorts;
    }

    private static String printable(String text) {
        return Excerpt.of(text.replaceAll("[^\\x21-\\x7E]", "?"), 80);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof HostPattern that && toString().equals(that.toString());
    }

    @Override
    public int hashCode() {
        return toString().hashCode();
    }

    @Override
    public String toString() {
        return (wildcard ? WILDCARD : "") + host + (port == HostAndPort.NONE ? "" : ":" + port);
    }
}
