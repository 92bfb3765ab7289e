package dev.ash.server.egress;

import dev.ash.server.egress.http.ProxyException;
import dev.ash.server.egress.http.RequestHead;
import dev.ash.server.egress.policy.HostAndPort;
import dev.ash.server.egress.policy.NetworkHost;

/** The destination of a request, derived from the form of its request target. */
sealed interface RequestTarget {
    /** A call to the model API; {@code target} is the path and query. */
    record Model(String target) implements RequestTarget {}

    /** A call to the tools of the server. */
    record Tools() implements RequestTarget {}

    /** A plain HTTP request to another host. */
    record Plain(HostAndPort host, String target) implements RequestTarget {}

    /** A tunnel to another host. */
    record Tunnel(HostAndPort host) implements RequestTarget {}

    /** The name by which sandboxes call the model API; it is not resolved. */
    String MODEL_HOST = "model.ash.internal";

    String SCHEME = "http://";

    static RequestTarget of(RequestHead request) throws ProxyException {
        var target = request.target();
        if (request.method().equals("CONNECT")) {
            return new Tunnel(parseHost(target, HostAndPort.NONE));
        }
        if (target.equals(EgressSetup.TOOLS_PATH)) {
            return new Tools();
        }
        if (target.startsWith("/")) {
            return new Model(target);
        }
        if (!target.regionMatches(true, 0, SCHEME, 0, SCHEME.length())) {
            throw new ProxyException(
                    400,
                    "Ash: invalid request target; expected a path, an http:// URL, or CONNECT with host"
                            + " and port; use CONNECT for https");
        }
        return parseUrl(target.substring(SCHEME.length()));
    }

    private static RequestTarget parseUrl(String rest) throws ProxyException {
        int end = 0;
        while (end < rest.length() && rest.charAt(end) != '/' && rest.charAt(end) != '?') {
            end++;
        }
        var host = parseHost(rest.substring(0, end), 80);
        var path = rest.substring(end);
        var target = path.startsWith("/") ? path : "/" + path;
        return host.equals(new HostAndPort(new NetworkHost.Name(MODEL_HOST), 80))
                ? new Model(target)
                : new Plain(host, target);
    }

    private static HostAndPort parseHost(String authority, int defaultPort) throws ProxyException {
        try {
            var host = HostAndPort.parse(authority, defaultPort);
            if (host.port() == HostAndPort.NONE) {
                throw new IllegalArgumentException("CONNECT requires a port");
            }
            return host;
        } catch (IllegalArgumentException e) {
            throw new ProxyException(400, "Ash: invalid host: " + e.getMessage());
        }
    }
}
