package dev.ash.e2e;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Finds a port for a server that listens on the same one again after a restart. It is below those
 * that the kernel gives to connections, which could take it while the server is away.
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
                // taken: the next one
            }
        }
    }

    private FreePort() {}
}
