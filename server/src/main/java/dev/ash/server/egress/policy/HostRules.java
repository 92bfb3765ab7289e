package dev.ash.server.egress.policy;

import java.net.InetAddress;
import java.util.List;
import java.util.Optional;

/**
 * Decides which hosts, addresses and TLS server names one sandbox may reach. A denial is a sentence
 * for the author of the request.
 */
public final class HostRules {
    private final EgressPolicy policy;
    private final AddressRules rules;

    public HostRules(EgressPolicy policy, AddressRules rules) {
        this.policy = policy;
        this.rules = rules;
    }

    /** Checks a host before it is resolved: the DNS query itself would leak data. */
    public Optional<String> denial(HostAndPort wanted) {
        if (policy.allows(wanted)) {
            return Optional.empty();
        }
        if (rules.needed(wanted.host()) != AddressRules.Reach.PUBLIC) {
            return Optional.of(
                    "Ash: %1$s is not allowed; it is not a public host, so only the operator can open it: list %1$s in the server's setting ASH_NETWORK_ALLOW"
                            .formatted(wanted));
        }
        boolean usualPort = wanted.port() == 80 || wanted.port() == 443;
        if (usualPort && !policy.knowsHost(wanted.host())) {
            return Optional.of(
                    "Ash: %s is not allowed; add it to network.allow".formatted(wanted.host()));
        }
        return Optional.of("Ash: %1$s is not allowed; add %1$s to network.allow".formatted(wanted));
    }

    /** Checks the addresses of an allowed host. One denied address denies the host. */
    public Optional<String> denial(HostAndPort wanted, List<InetAddress> addresses) {
        var reach = policy.reach(wanted);
        return addresses.stream()
                .filter(address -> !rules.permits(address, reach))
                .findFirst()
                .map(address -> sentence(wanted.host(), rules.needed(address)));
    }

    private static String sentence(NetworkHost host, AddressRules.Reach needed) {
        return "Ash: "
                + host
                + switch (needed) {
                    case PUBLIC, PRIVATE ->
                            " has an address in a private network, which network.allow of a"
                                    + " session or agent cannot open; the operator can list the"
                                    + " exact host in the server's setting ASH_NETWORK_ALLOW";
                    case LOCAL ->
                            " has a link-local or metadata address, which network.allow of a"
                                    + " session or agent cannot open; the operator can list the"
                                    + " address itself in the server's setting ASH_NETWORK_ALLOW";
                    case NEVER -> " is no address of a host and cannot be allowed";
                };
    }

    /** Checks the server name that a TLS client sends on a connection to {@code reached}. */
    public Optional<String> serverNameDenial(HostAndPort reached, HostAndPort named) {
        return named.equals(reached) || policy.allows(named)
                ? Optional.empty()
                : Optional.of(
                        "Ash: %s was asked for on a connection to %s and is not allowed; add it to network.allow"
                                .formatted(named.host(), reached.host()));
    }
}
