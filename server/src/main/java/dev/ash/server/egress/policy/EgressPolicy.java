package dev.ash.server.egress.policy;

import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;

/**
 * The hosts that a sandbox may reach besides the model API.
 *
 * @param requested patterns of the session and its agent; they open public addresses only
 * @param operator patterns of the server's settings; exact ones open private addresses too
 * @param open every public host
 */
public record EgressPolicy(List<HostPattern> requested, List<HostPattern> operator, boolean open) {
    public static final EgressPolicy CLOSED = new EgressPolicy(List.of(), List.of(), false);

    public EgressPolicy {
        requested = List.copyOf(requested);
        operator = List.copyOf(operator);
    }

    /**
     * Creates the policy that a session or an agent requests.
     *
     * @throws IllegalArgumentException with a message for the author of the patterns
     */
    public static EgressPolicy requesting(Collection<String> patterns, boolean open) {
        return new EgressPolicy(
                patterns.stream().map(HostPattern::parse).toList(), List.of(), open);
    }

    public EgressPolicy withOperator(List<HostPattern> patterns) {
        return new EgressPolicy(requested, patterns, open);
    }

    boolean allows(HostAndPort wanted) {
        return open || patterns().anyMatch(pattern -> pattern.matches(wanted));
    }

    /** Whether the host is allowed at some port. */
    boolean knowsHost(NetworkHost host) {
        return patterns().anyMatch(pattern -> pattern.matchesHost(host));
    }

    /** The widest class of addresses that an allowed host may resolve to. */
    AddressRules.Reach reach(HostAndPort wanted) {
        boolean named =
                operator.stream().anyMatch(pattern -> pattern.exact() && pattern.matches(wanted));
        if (!named) {
            return AddressRules.Reach.PUBLIC;
        }
        return wanted.host() instanceof NetworkHost.Literal
                ? AddressRules.Reach.LOCAL
                : AddressRules.Reach.PRIVATE;
    }

    private Stream<HostPattern> patterns() {
        return Stream.concat(operator.stream(), requested.stream());
    }
}
