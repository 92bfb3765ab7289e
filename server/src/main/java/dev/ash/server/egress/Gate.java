package dev.ash.server.egress;

import java.io.IOException;
import java.net.InetAddress;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.util.List;
import java.util.concurrent.Semaphore;

/** Opens the way to a host if the policy of its sandbox allows, and tells if it does not. */
final class Gate {
    /** Names of one sandbox that are looked up at once, so that slow ones hold up nobody else. */
    private final Semaphore lookups = new Semaphore(8);

    private final EgressPolicy policy;
    private final Dialler dialler;
    private final BlockedNotices notices;
    private final Wires wires;

    Gate(EgressPolicy policy, Dialler dialler, BlockedNotices notices, Wires wires) {
        this.policy = policy;
        this.dialler = dialler;
        this.notices = notices;
        this.wires = wires;
    }

    Wire open(HostAndPort wanted) throws IOException, Refusal {
        try {
            check(wanted);
            return wires.add(dial(wanted));
        } catch (Refusal e) {
            if (e.status() == 403) {
                notices.blocked(new Blocked(wanted.host().toString(), wanted.port(), e.sentence()));
            }
            throw e;
        }
    }

    /** Before anything is looked up: a name that is asked for is a message to who answers. */
    private void check(HostAndPort wanted) throws Refusal {
        if (wanted.host() instanceof Host.Name(var name) && name.equals(Route.MODEL_HOST)) {
            throw new Refusal(
                    400, "Ash: the model is reached by plain http at http://" + Route.MODEL_HOST);
        }
        if (policy.allows(wanted)) {
            return;
        }
        if (dialler.isPrivate(wanted.host())) {
            throw new Refusal(
                    403,
                    "Ash: "
                            + wanted
                            + " is not allowed; it is not a public host, so only the operator can"
                            + " open it: list "
                            + wanted
                            + " in the server's setting ASH_NETWORK_ALLOW");
        }
        boolean usual = wanted.port() == 80 || wanted.port() == 443;
        if (usual && !policy.knowsHost(wanted.host())) {
            throw new Refusal(
                    403, "Ash: " + wanted.host() + " is not allowed; add it to network.allow");
        }
        throw new Refusal(
                403, "Ash: " + wanted + " is not allowed; add " + wanted + " to network.allow");
    }

    /** Within a tunnel: the host that TLS asks for must be one that could be reached itself. */
    void checkServerName(HostAndPort reached, byte[] first) throws BadMessageException {
        if (reached.host() instanceof Host.Literal) {
            return; // named as an address, which is more than a name
        }
        var name = ClientHello.serverName(first);
        if (name.isPresent() && !sameOrAllowed(reached, name.get())) {
            throw new BadMessageException("a server name that is not allowed");
        }
    }

    private boolean sameOrAllowed(HostAndPort reached, String name) {
        try {
            var asked = new HostAndPort(Host.parse(name), reached.port());
            if (asked.equals(reached) || policy.allows(asked)) {
                return true;
            }
            var sentence =
                    "Ash: %s was asked for on a connection to %s and is not allowed; add it to network.allow"
                            .formatted(asked.host(), reached.host());
            notices.blocked(new Blocked(asked.host().toString(), reached.port(), sentence));
            return false;
        } catch (IllegalArgumentException e) {
            return false; // nothing that could be a host
        }
    }

    private Wire dial(HostAndPort wanted) throws Refusal {
        try {
            return dialler.connect(addresses(wanted), wanted.port());
        } catch (UnknownHostException e) {
            throw new Refusal(502, "Ash: " + wanted.host() + " has no address");
        } catch (SocketTimeoutException e) {
            throw new Refusal(504, "Ash: " + wanted + " did not answer in time");
        } catch (IOException e) {
            throw new Refusal(502, "Ash: " + wanted + " could not be reached");
        }
    }

    private List<InetAddress> addresses(HostAndPort wanted) throws IOException, Refusal {
        lookups.acquireUninterruptibly();
        try {
            return dialler.permitted(wanted.host(), policy.reach(wanted));
        } finally {
            lookups.release();
        }
    }
}
