package dev.ash.server.egress;

import dev.ash.server.egress.http.BadMessageException;
import dev.ash.server.egress.http.ClientHello;
import dev.ash.server.egress.http.HostConnector;
import dev.ash.server.egress.http.ProxyException;
import dev.ash.server.egress.http.SandboxConnections;
import dev.ash.server.egress.http.TimedConnection;
import dev.ash.server.egress.policy.Blocked;
import dev.ash.server.egress.policy.BlockedNotices;
import dev.ash.server.egress.policy.HostAndPort;
import dev.ash.server.egress.policy.HostRules;
import dev.ash.server.egress.policy.NetworkHost;
import java.io.IOException;
import java.net.InetAddress;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.util.List;
import java.util.concurrent.Semaphore;

/** Connects one sandbox to the hosts that its rules allow, and reports the others. */
final class HostAccess {
    /** Limits concurrent lookups, so that slow ones of one sandbox do not delay others. */
    private final Semaphore lookups = new Semaphore(8);

    private final HostRules rules;
    private final HostConnector connector;
    private final BlockedNotices notices;
    private final SandboxConnections connections;

    HostAccess(
            HostRules rules,
            HostConnector connector,
            BlockedNotices notices,
            SandboxConnections connections) {
        this.rules = rules;
        this.connector = connector;
        this.notices = notices;
        this.connections = connections;
    }

    TimedConnection open(HostAndPort wanted) throws IOException, ProxyException {
        if (wanted.host() instanceof NetworkHost.Name(var name)
                && name.equals(RequestTarget.MODEL_HOST)) {
            throw new ProxyException(
                    400,
                    "Ash: the model is reached by plain http at http://"
                            + RequestTarget.MODEL_HOST);
        }
        var denial = rules.denial(wanted);
        if (denial.isPresent()) {
            throw blocked(wanted, denial.get());
        }
        return connections.add(connect(wanted));
    }

    private TimedConnection connect(HostAndPort wanted) throws ProxyException {
        try {
            var addresses = lookUp(wanted.host());
            var denial = rules.denial(wanted, addresses);
            if (denial.isPresent()) {
                throw blocked(wanted, denial.get());
            }
            return connector.connect(addresses, wanted.port());
        } catch (UnknownHostException e) {
            throw new ProxyException(502, "Ash: " + wanted.host() + " has no address");
        } catch (SocketTimeoutException e) {
            throw new ProxyException(504, "Ash: " + wanted + " did not answer in time");
        } catch (IOException e) {
            throw new ProxyException(502, "Ash: " + wanted + " could not be reached");
        }
    }

    private List<InetAddress> lookUp(NetworkHost host) throws IOException {
        lookups.acquireUninterruptibly();
        try {
            return connector.lookUp(host);
        } finally {
            lookups.release();
        }
    }

    private ProxyException blocked(HostAndPort host, String reason) {
        report(host, reason);
        return new ProxyException(403, reason);
    }

    private void report(HostAndPort host, String reason) {
        notices.blocked(new Blocked(host.host().toString(), host.port(), reason));
    }

    /** Checks the server name that a client sends in a tunnel: one address serves many hosts. */
    void checkServerName(HostAndPort reached, byte[] first) throws BadMessageException {
        if (reached.host() instanceof NetworkHost.Literal) {
            return; // an allowed address includes all its hosts
        }
        var name = ClientHello.serverName(first);
        if (name.isPresent() && !allowsServerName(reached, name.get())) {
            throw new BadMessageException("a server name that is not allowed");
        }
    }

    private boolean allowsServerName(HostAndPort reached, String name) {
        try {
            var named = new HostAndPort(NetworkHost.parse(name), reached.port());
            var denial = rules.serverNameDenial(reached, named);
            denial.ifPresent(reason -> report(named, reason));
            return denial.isEmpty();
        } catch (IllegalArgumentException e) {
            return false; // not a host
        }
    }
}
