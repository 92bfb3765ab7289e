package dev.ash.server.health;

import java.net.InetAddress;
import java.net.UnknownHostException;

/** The name of this machine, looked up once: a resolver may take its time. */
final class HostName {
    private static final String HERE = lookUp();

    static String here() {
        return HERE;
    }

    private static String lookUp() {
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
