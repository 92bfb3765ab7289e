package dev.ash.cli.server;

import dev.ash.protocol.rest.GatewayApi;
import dev.ash.protocol.rest.HealthResponse;
import dev.ash.sdk.AshClient;
import java.time.Duration;

/** Waits for the gateway, which may start after the API because of its certificate. */
final class GatewayWait {
    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final Duration POLL_INTERVAL = Duration.ofMillis(10);

    private GatewayWait() {}

    /** Returns the server's health once the gateway has started or failed. */
    static HealthResponse awaitStarted(AshClient client) {
        long deadline = System.nanoTime() + TIMEOUT.toNanos();
        var health = client.health();
        while (isStarting(health) && System.nanoTime() < deadline) {
            try {
                Thread.sleep(POLL_INTERVAL);
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
