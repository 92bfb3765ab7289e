package dev.ash.server.egress.policy;

import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;

/**
 * The hosts that a sandbox may reach besides the model API.
 *
 * @param requested patterns of the session and its agent; they allow public addresses only
 * @param operator patterns of the server's settings; exact ones also allow private addresses
 * @param open whether every public host is allowed
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

    boolean allows(HostAndPort destination) {
        return open || patterns().anyMatch(pattern -> pattern.matches(destination));
    }

    /** Returns whether the host is allowed on any port. */
    boolean allowsOnAnyPort(NetworkHost host) {
        return patterns().anyMatch(pattern -> pattern.matchesHost(host));
    }

    /** Returns the widest class of addresses that an allowed host may resolve to. */
    AddressRules.AddressClass widestClass(HostAndPort destination) {
        boolean exact =
                operator.stream()
                        .anyMatch(pattern -> pattern.isExact() && pattern.matches(destination));
        if (!exact) {
            return AddressRules.AddressClass.PUBLIC;
        }
        return destination.host() instanceof NetworkHost.Literal
                ? AddressRules.AddressClass.LOCAL
                : AddressRules.AddressClass.PRIVATE;
    }

    private Stream<HostPattern> patterns() {
        return Stream.concat(operator.stream(), requested.stream());
    }
}
