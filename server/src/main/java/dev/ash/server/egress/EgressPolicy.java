package dev.ash.server.egress;

import java.util.Collection;
import java.util.List;

/**
 * Whom a sandbox may reach besides the model.
 *
 * @param open every public host; what {@code allow} adds are hosts of private networks
 */
public record EgressPolicy(List<HostPattern> allow, boolean open) {
    public static final EgressPolicy CLOSED = new EgressPolicy(List.of(), false);

    public EgressPolicy {
        allow = List.copyOf(allow);
    }

    /**
     * The policy of such a list.
     *
     * @throws IllegalArgumentException with a sentence for whoever wrote the patterns
     */
    public static EgressPolicy allowing(Collection<String> patterns) {
        return new EgressPolicy(patterns.stream().map(HostPattern::parse).toList(), false);
    }

    boolean allows(HostAndPort wanted) {
        return open || allow.stream().anyMatch(pattern -> pattern.matches(wanted));
    }

    /** Known at another port only: worth a better sentence. */
    boolean knowsHost(Host host) {
        return allow.stream().anyMatch(pattern -> pattern.matchesHost(host));
    }

    /** Which addresses a host that is allowed may turn out to have. */
    AddressRules.Reach reach(HostAndPort wanted) {
        boolean named =
                allow.stream().anyMatch(pattern -> pattern.exact() && pattern.matches(wanted));
        if (!named) {
            return AddressRules.Reach.PUBLIC;
        }
        return wanted.host() instanceof Host.Literal
                ? AddressRules.Reach.LOCAL
                : AddressRules.Reach.PRIVATE;
    }
}
