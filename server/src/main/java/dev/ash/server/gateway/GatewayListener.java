package dev.ash.server.gateway;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.rest.GatewayApi;
import dev.ash.protocol.rest.HealthResponse;
import dev.ash.server.device.DeviceRoutes;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The gateway's listener, which can be moved to another address while the server runs. Connections
 * go on where the new address covers the old one, as 0.0.0.0 covers 127.0.0.1; otherwise they end,
 * because whoever is connected may not be meant to be any more.
 */
final class GatewayListener implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger("ash.gateway");
    private static final Duration START = Duration.ofSeconds(30);

    private final CountDownLatch started = new CountDownLatch(1);
    private @Nullable Maker maker; // all guarded by this
    private @Nullable GatewayServer retired; // its connections go on
    private boolean closed;
    private volatile State state;

    /** Makes a listener that does not listen yet. */
    interface Maker {
        GatewayServer make(GatewayConfig at) throws IOException, InterruptedException;
    }

    /** {@code server} is absent unless it listens. */
    record State(
            String status,
            GatewayConfig config,
            @Nullable GatewayServer server,
            @Nullable String problem) {

        Optional<DeviceRoutes.Address> address() {
            return Optional.ofNullable(server).map(GatewayServer::address);
        }

        HealthResponse.Gateway health() {
            return new HealthResponse.Gateway(
                    status,
                    address().map(DeviceRoutes.Address::url).orElse(null),
                    address().map(DeviceRoutes.Address::reachable).orElse(false),
                    problem);
        }

        int port() {
            return server == null ? config.port() : server.port();
        }
    }

    GatewayListener(GatewayConfig config) {
        this.state =
                new State(
                        config.enabled() ? GatewayApi.STARTING : GatewayApi.OFF,
                        config,
                        null,
                        null);
        if (!config.enabled()) {
            started.countDown();
        }
    }

    State state() {
        return state;
    }

    /** The same, once it has tried to listen. */
    State awaited() {
        try {
            started.await(START.toSeconds(), TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return state;
    }

    /** What stands in the way is logged, and is in the state. */
    synchronized void start(GatewayConfig config, Maker with) {
        maker = with;
        try {
            if (config.enabled()) {
                listening(open(config));
            }
        } catch (ApiException e) {
            failed(config, e.message());
        } finally {
            started.countDown();
        }
    }

    /**
     * Listens elsewhere, or where it did if that is not possible.
     *
     * @throws ApiException if it cannot listen there
     */
    State move(String host, Optional<Integer> port) {
        awaited();
        synchronized (this) {
            if (closed || maker == null || state.status().equals(GatewayApi.OFF)) {
                throw new ApiException(
                        ErrorCode.VALIDATION_FAILED,
                        "This server runs without a gateway; remove the setting ASH_GATEWAY=0 and start it again");
            }
            var next = state.config().at(host, port.orElse(state.port()));
            var old = state.server();
            if (old == null) {
                listening(open(next));
            } else if (old.port() != next.port() || !old.config().host().equals(next.host())) {
                replace(old, next);
            }
            return state;
        }
    }

    private void replace(GatewayServer old, GatewayConfig next) {
        boolean stopsFirst = old.overlaps(next); // both cannot listen at once
        var replacement = make(next); // first: while nobody listens, another can take the port
        if (stopsFirst) {
            old.stopAccepting();
        }
        try {
            listening(start(replacement));
        } catch (ApiException e) {
            if (stopsFirst) {
                again(old);
            }
            throw e;
        }
        if (old.isCoveredBy(next)) {
            retire(old);
        } else {
            old.close();
            retire(null);
        }
    }

    /** Back to where it listened; its connections never ended. */
    private void again(GatewayServer old) {
        var config = old.config().at(old.config().host(), old.port());
        try {
            listening(open(config));
            retire(old);
        } catch (ApiException e) {
            retire(old);
            failed(config, e.message());
        }
    }

    private void retire(@Nullable GatewayServer server) {
        if (retired != null) {
            retired.close();
        }
        retired = server;
    }

    private GatewayServer open(GatewayConfig config) {
        return start(make(config));
    }

    private static GatewayServer start(GatewayServer server) {
        server.start();
        return server;
    }

    private GatewayServer make(GatewayConfig config) {
        try {
            if (maker == null) {
                throw new IllegalStateException("not started");
            }
            return maker.make(config);
        } catch (IOException e) {
            throw new ApiException(ErrorCode.INTERNAL, String.valueOf(e.getMessage()), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ApiException(ErrorCode.SHUTTING_DOWN, "The server is shutting down", e);
        }
    }

    private void listening(GatewayServer server) {
        state = new State(GatewayApi.LISTENING, server.config(), server, null);
        LOG.log(System.Logger.Level.INFO, "Devices connect to {0}", server.address().url());
    }

    private void failed(GatewayConfig config, String why) {
        state = new State(GatewayApi.FAILED, config, null, why);
        LOG.log(
                System.Logger.Level.WARNING,
                "NO DEVICE CAN CONNECT to {0} port {1}: {2}. ASH_GATEWAY_HOST and ASH_GATEWAY_PORT"
                        + " name another address and port",
                config.host(),
                Integer.toString(config.port()),
                why);
    }

    @Override
    public synchronized void close() {
        closed = true;
        retire(null);
        var server = state.server();
        if (server != null) {
            server.close();
        }
    }
}
