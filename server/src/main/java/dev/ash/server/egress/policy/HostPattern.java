package dev.ash.server.egress.policy;

import dev.ash.protocol.Excerpt;

/**
 * One entry of {@code network.allow}: {@code example.com}, {@code *.example.com} (every name below
 * it, not itself), an address, each with an optional {@code :port}; without one 80 and 443 are
 * meant.
 */
public final class HostPattern {
    private static final String BELOW = "*.";

    private final NetworkHost host;
    private final boolean below;
    private final int port;

    private HostPattern(NetworkHost host, boolean below, int port) {
        this.host = host;
        this.below = below;
        this.port = port;
    }

    /**
     * Parses an entry of a setting or a request.
     *
     * @throws IllegalArgumentException with a sentence for its author
     */
    public static HostPattern parse(String text) {
        try {
            return read(text);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "network.allow: '"
                            + shown(text)
                            + "' cannot be used: "
                            + e.getMessage()
                            + "; expected a name such as example.com, *.example.com or"
                            + " example.com:8443",
                    e);
        }
    }

    private static HostPattern read(String text) {
        if (text.equals("*")) {
            throw new IllegalArgumentException("to allow every host set network to \"open\"");
        }
        if (text.contains("/")) {
            throw new IllegalArgumentException("a pattern has no scheme and no path");
        }
        boolean below = text.startsWith(BELOW);
        var named = HostAndPort.parse(below ? text.substring(BELOW.length()) : text, 0);
        if (below && !(named.host() instanceof NetworkHost.Name(var name) && name.contains("."))) {
            throw new IllegalArgumentException(
                    "below *. there must be a name of at least two labels");
        }
        return new HostPattern(named.host(), below, named.port());
    }

    boolean matches(HostAndPort wanted) {
        return matchesHost(wanted.host()) && matchesPort(wanted.port());
    }

    boolean matchesHost(NetworkHost wanted) {
        if (!below) {
            return host.equals(wanted);
        }
        return wanted instanceof NetworkHost.Name(var name) && name.endsWith("." + host);
    }

    private boolean matchesPort(int wanted) {
        return port == HostAndPort.NONE ? wanted == 80 || wanted == 443 : wanted == port;
    }

    /** Whether it names one host, and so may lead into a private network. */
    boolean exact() {
        return !below;
    }

    /** False if the text alone shows a private host; a public name may resolve to one still. */
    public boolean looksPublic() {
        return AddressRules.ofThisHost().needed(host) == AddressRules.Reach.PUBLIC;
    }

    /** Whether it names one host and allows all that {@code other} does. */
    public boolean covers(HostPattern other) {
        boolean ports = port == other.port || (port == HostAndPort.NONE && matchesPort(other.port));
        return exact() && other.exact() && host.equals(other.host) && ports;
    }

    private static String shown(String text) {
        var printable = text.replaceAll("[^\\x21-\\x7E]", "?");
        return Excerpt.of(printable, 80);
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
        return (below ? BELOW : "") + host + (port == HostAndPort.NONE ? "" : ":" + port);
    }
}
