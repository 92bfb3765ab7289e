package dev.ash.server.egress;

import dev.ash.server.egress.http.ProxyException;
import dev.ash.server.egress.http.RequestHead;
import dev.ash.server.egress.policy.HostAndPort;
import dev.ash.server.egress.policy.NetworkHost;

/** The destination of a request, by the form of its target. */
sealed interface RequestTarget {
    /** A call to the model's API; {@code target} is path and query. */
    record Model(String target) implements RequestTarget {}

    /** A call to the tools of the server itself. */
    record Tools() implements RequestTarget {}

    /** Plain HTTP to another host. */
    record Plain(HostAndPort host, String target) implements RequestTarget {}

    /** A tunnel to another host. */
    record Tunnel(HostAndPort host) implements RequestTarget {}

    /** The name by which sandboxes call the model API; it is not resolved. */
    String MODEL_HOST = "model.ash.internal";

    String SCHEME = "http://";

    static RequestTarget of(RequestHead request) throws ProxyException {
        var target = request.target();
        if (request.method().equals("CONNECT")) {
            return new Tunnel(host(target, HostAndPort.NONE));
        }
        if (target.equals(EgressSetup.TOOLS)) {
            return new Tools();
        }
        if (target.startsWith("/")) {
            return new Model(target);
        }
        if (!target.regionMatches(true, 0, SCHEME, 0, SCHEME.length())) {
            throw new ProxyException(
                    400,
                    "Ash: a request names a path, a URL that begins with http://, or a host and a"
                            + " port after CONNECT; https goes by CONNECT");
        }
        return plain(target.substring(SCHEME.length()));
    }

    private static RequestTarget plain(String rest) throws ProxyException {
        int end = 0;
        while (end < rest.length() && rest.charAt(end) != '/' && rest.charAt(end) != '?') {
            end++;
        }
        var host = host(rest.substring(0, end), 80);
        var path = rest.substring(end);
        var target = path.startsWith("/") ? path : "/" + path;
        return host.equals(new HostAndPort(new NetworkHost.Name(MODEL_HOST), 80))
                ? new Model(target)
                : new Plain(host, target);
    }

    private static HostAndPort host(String authority, int defaultPort) throws ProxyException {
        try {
            var host = HostAndPort.parse(authority, defaultPort);
            if (host.port() == HostAndPort.NONE) {
                throw new IllegalArgumentException("CONNECT needs a port");
            }
            return host;
        } catch (IllegalArgumentException e) {
            throw new ProxyException(400, "Ash: the host cannot be used: " + e.getMessage());
        }
    }
}
