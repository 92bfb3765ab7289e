package dev.ash.server.health;

import java.net.InetAddress;
import java.net.UnknownHostException;

/** The name of this machine, resolved once because resolvers can be slow. */
final class HostName {
    private static final String LOCAL = resolve();

    static String local() {
        return LOCAL;
    }

    private static String resolve() {
        var fromShell = System.getenv("HOSTNAME");
        if (fromShell != null && !fromShell.isBlank()) {
            return fromShell;
        }
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return "localhost";
        }
    }

    private HostName() {}
}
