package dev.ash.cli.server;

import dev.ash.protocol.rest.GatewayApi;
import dev.ash.protocol.rest.HealthResponse;
import dev.ash.sdk.AshClient;
import java.time.Duration;

/** The gateway begins to listen a moment after the API: its certificate may have to be made. */
final class GatewayWait {
    private static final Duration LONGEST = Duration.ofSeconds(10);
    private static final Duration PAUSE = Duration.ofMillis(50);

    private GatewayWait() {}

    /** How the server is once it is known whether devices can connect. */
    static HealthResponse settled(AshClient client) {
        long deadline = System.nanoTime() + LONGEST.toNanos();
        var health = client.health();
        while (isStarting(health) && System.nanoTime() < deadline) {
            try {
                Thread.sleep(PAUSE);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return health;
            }
            health = client.health();
        }
        return health;
    }

    private static boolean isStarting(HealthResponse health) {
        return health.gateway() != null && health.gateway().status().equals(GatewayApi.STARTING);
    }
}
