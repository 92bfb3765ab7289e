package dev.ash.server.egress.policy;

import java.net.InetAddress;
import java.util.List;
import java.util.Optional;

/**
 * Decides which hosts, addresses and TLS server names one sandbox may reach. A denial is the error
 * message for the client.
 */
public final class HostRules {
    private final EgressPolicy policy;
    private final AddressRules addressRules;

    public HostRules(EgressPolicy policy, AddressRules addressRules) {
        this.policy = policy;
        this.addressRules = addressRules;
    }

    /** Checks a host before it is resolved, because the DNS query itself could leak data. */
    public Optional<String> denial(HostAndPort destination) {
        if (policy.allows(destination)) {
            return Optional.empty();
        }
        if (addressRules.classify(destination.host()) != AddressRules.AddressClass.PUBLIC) {
            return Optional.of(
                    "Ash: %1$s is not allowed; it is not a public host, so only the operator can allow it: list %1$s in the server's setting ASH_NETWORK_ALLOW"
                            .formatted(destination));
        }
        boolean defaultPort = destination.port() == 80 || destination.port() == 443;
        if (defaultPort && !policy.allowsOnAnyPort(destination.host())) {
            return Optional.of(
                    "Ash: %s is not allowed; add it to network.allow"
                            .formatted(destination.host()));
        }
        return Optional.of(
                "Ash: %1$s is not allowed; add %1$s to network.allow".formatted(destination));
    }

    /** Checks the addresses of an allowed host; one denied address denies the host. */
    public Optional<String> denial(HostAndPort destination, List<InetAddress> addresses) {
        var widest = policy.widestClass(destination);
        return addresses.stream()
                .filter(address -> !addressRules.permits(address, widest))
                .findFirst()
                .map(address -> denialMessage(destination.host(), addressRules.classify(address)));
    }

    private static String denialMessage(NetworkHost host, AddressRules.AddressClass addressClass) {
        return "Ash: "
                + host
                + switch (addressClass) {
                    case PUBLIC, PRIVATE ->
                            " has an address in a private network, which network.allow of a"
                                    + " session or agent cannot allow; the operator can list the"
                                    + " exact host in the server's setting ASH_NETWORK_ALLOW";
                    case LOCAL ->
                            " has a link-local or metadata address, which network.allow of a"
                                    + " session or agent cannot allow; the operator can list the"
                                    + " address itself in the server's setting ASH_NETWORK_ALLOW";
                    case NEVER -> " has a reserved or multicast address, which cannot be allowed";
                };
    }

    /** Checks the server name that a TLS client sends on a connection to {@code destination}. */
    public Optional<String> serverNameDenial(HostAndPort destination, HostAndPort named) {
        return named.equals(destination) || policy.allows(named)
                ? Optional.empty()
                : Optional.of(
                        "Ash: TLS server name %s is not allowed on a connection to %s; add it to network.allow"
                                .formatted(named.host(), destination.host()));
    }
}
