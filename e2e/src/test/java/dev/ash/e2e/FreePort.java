package dev.ash.e2e;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Finds a port for a server that uses the same port again after a restart. The port is below the
 * kernel's ephemeral range, so that no outgoing connection takes it during the restart.
 */
public final class FreePort {
    private static final int FIRST = 20_000;
    private static final int END = 30_000;

    public static int find() {
        while (true) {
            int port = ThreadLocalRandom.current().nextInt(FIRST, END);
            try (var _ = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
                return port;
            } catch (IOException e) {
                // in use: try another port
            }
        }
    }

    private FreePort() {}
}
