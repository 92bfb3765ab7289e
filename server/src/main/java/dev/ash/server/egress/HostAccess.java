package dev.ash.server.egress;

import dev.ash.server.egress.http.BadMessageException;
import dev.ash.server.egress.http.ClientHello;
import dev.ash.server.egress.http.HostConnector;
import dev.ash.server.egress.http.ProxyException;
import dev.ash.server.egress.http.SandboxConnections;
import dev.ash.server.egress.http.TimedConnection;
import dev.ash.server.egress.policy.BlockedRequest;
import dev.ash.server.egress.policy.BlockedRequestReporter;
import dev.ash.server.egress.policy.HostAndPort;
import dev.ash.server.egress.policy.HostRules;
import dev.ash.server.egress.policy.NetworkHost;
import java.io.IOException;
import java.net.InetAddress;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.util.List;
import java.util.concurrent.Semaphore;

/** Connects one sandbox to the hosts that its rules allow; refuses and reports other hosts. */
final class HostAccess {
    /**
     * Limits concurrent DNS lookups: slow lookups of one sandbox must not delay other sandboxes.
     */
    private final Semaphore lookups = new Semaphore(8);

    private final HostRules rules;
    private final HostConnector connector;
    private final BlockedRequestReporter blockedReporter;
    private final SandboxConnections connections;

    HostAccess(
            HostRules rules,
            HostConnector connector,
            BlockedRequestReporter blockedReporter,
            SandboxConnections connections) {
        this.rules = rules;
        this.connector = connector;
        this.blockedReporter = blockedReporter;
        this.connections = connections;
    }

    TimedConnection open(HostAndPort destination) throws IOException, ProxyException {
        if (destination.host() instanceof NetworkHost.Name(var name)
                && name.equals(RequestTarget.MODEL_HOST)) {
            throw new ProxyException(
                    400,
                    "Ash: use plain HTTP for the model API: http://" + RequestTarget.MODEL_HOST);
        }
        var denial = rules.denial(destination);
        if (denial.isPresent()) {
            throw blocked(destination, denial.get());
        }
        return connections.add(connect(destination));
    }

    private TimedConnection connect(HostAndPort destination) throws ProxyException {
        try {
            var addresses = resolve(destination.host());
            var denial = rules.denial(destination, addresses);
            if (denial.isPresent()) {
                throw blocked(destination, denial.get());
            }
            return connector.connect(addresses, destination.port());
        } catch (UnknownHostException e) {
            throw new ProxyException(502, "Ash: cannot resolve " + destination.host());
        } catch (SocketTimeoutException e) {
            throw new ProxyException(504, "Ash: connecting to " + destination + " timed out");
        } catch (IOException e) {
            throw new ProxyException(502, "Ash: cannot connect to " + destination);
        }
    }

    private List<InetAddress> resolve(NetworkHost host) throws IOException {
        lookups.acquireUninterruptibly();
        try {
            return connector.resolve(host);
        } finally {
            lookups.release();
        }
    }

    private ProxyException blocked(HostAndPort host, String reason) {
        report(host, reason);
        return new ProxyException(403, reason);
    }

    private void report(HostAndPort host, String reason) {
        blockedReporter.report(new BlockedRequest(host.host().toString(), host.port(), reason));
    }

    /**
     * Checks the TLS server name that a client sends in a tunnel: one address serves many hosts.
     */
    void checkServerName(HostAndPort destination, byte[] firstBytes) throws BadMessageException {
        if (destination.host() instanceof NetworkHost.Literal) {
            return; // allowing an address allows all hosts that it serves
        }
        var name = ClientHello.serverName(firstBytes);
        if (name.isPresent() && !allowsServerName(destination, name.get())) {
            throw new BadMessageException("a TLS server name that is not allowed");
        }
    }

    private boolean allowsServerName(HostAndPort destination, String name) {
        try {
            var named = new HostAndPort(NetworkHost.parse(name), destination.port());
            var denial = rules.serverNameDenial(destination, named);
            denial.ifPresent(reason -> report(named, reason));
            return denial.isEmpty();
        } catch (IllegalArgumentException e) {
            return false; // not a host
        }
    }
}
