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
 * Manages the {@link GatewayServer}, which can be moved to another address while the server runs.
 * Open connections are kept if the new address covers the old one, as 0.0.0.0 covers 127.0.0.1;
 * otherwise they are closed, because the new address may exclude their devices.
 */
final class GatewayListener implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger("ash.gateway");
    private static final Duration START_TIMEOUT = Duration.ofSeconds(30);
    private static final Duration RELEASE_TIMEOUT = Duration.ofSeconds(5);

    private final CountDownLatch started = new CountDownLatch(1);
    private @Nullable ServerFactory factory; // all guarded by this
    private @Nullable GatewayServer retired; // accepts no more connections, but has open ones
    private boolean closed;
    private volatile State state;

    /** Creates servers that do not listen yet. */
    interface ServerFactory {
        GatewayServer create(GatewayConfig config) throws IOException, InterruptedException;
    }

    /** {@code server} is null unless it listens; {@code problem} is null unless it failed. */
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

    /** Returns the state after the first attempt to listen. */
    State awaitStart() {
        try {
            started.await(START_TIMEOUT.toSeconds(), TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return state;
    }

    /** Starts to listen. A failure is logged and stored in the state. */
    synchronized void start(GatewayConfig config, ServerFactory servers) {
        factory = servers;
        try {
            if (config.enabled()) {
                setListening(createAndStart(config));
            }
        } catch (ApiException e) {
            setFailed(config, e.message());
        } finally {
            started.countDown();
        }
    }

    /**
     * Moves to another address, or keeps the current one if the new one cannot be used.
     *
     * @throws ApiException if the new address cannot be used
     */
    State move(String host, Optional<Integer> port) {
        awaitStart();
        synchronized (this) {
            if (closed || factory == null || state.status().equals(GatewayApi.OFF)) {
                throw new ApiException(
                        ErrorCode.VALIDATION_FAILED,
                        "The gateway is disabled; remove the setting ASH_GATEWAY=0 and restart the server");
            }
            var next = state.config().withAddress(host, port.orElse(state.port()));
            var old = state.server();
            if (old == null) {
                setListening(createAndStart(next));
            } else if (old.port() != next.port() || !old.config().host().equals(next.host())) {
                replace(old, next);
            }
            return state;
        }
    }

    private void replace(GatewayServer old, GatewayConfig next) {
        boolean overlaps = old.overlaps(next);
        // Create it before the old one stops: another process could take the port meanwhile.
        var replacement = create(next);
        if (overlaps) {
            old.stopAccepting();
        }
        try {
            replacement.start(overlaps ? RELEASE_TIMEOUT : Duration.ZERO);
            setListening(replacement);
        } catch (ApiException e) {
            if (overlaps) {
                restore(old);
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

    /** Listens at the old address again; the connections of the old server are still open. */
    private void restore(GatewayServer old) {
        var config = old.config().withAddress(old.config().host(), old.port());
        try {
            var server = create(config);
            server.start(RELEASE_TIMEOUT);
            setListening(server);
            retire(old);
        } catch (ApiException e) {
            retire(old);
            setFailed(config, e.message());
        }
    }

    /** Closes the retired server, and keeps this one for its open connections. */
    private void retire(@Nullable GatewayServer server) {
        if (retired != null) {
            retired.close();
        }
        retired = server;
    }

    private GatewayServer createAndStart(GatewayConfig config) {
        var server = create(config);
        server.start(Duration.ZERO);
        return server;
    }

    private GatewayServer create(GatewayConfig config) {
        try {
            if (factory == null) {
                throw new IllegalStateException("not started");
            }
            return factory.create(config);
        } catch (IOException e) {
            throw new ApiException(ErrorCode.INTERNAL, String.valueOf(e.getMessage()), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ApiException(ErrorCode.SHUTTING_DOWN, "The server is shutting down", e);
        }
    }

    private void setListening(GatewayServer server) {
        state = new State(GatewayApi.LISTENING, server.config(), server, null);
        LOG.log(
                System.Logger.Level.INFO,
                "Gateway listens for devices at {0}",
                server.address().url());
    }

    private void setFailed(GatewayConfig config, String problem) {
        state = new State(GatewayApi.FAILED, config, null, problem);
        LOG.log(
                System.Logger.Level.WARNING,
                "NO DEVICE CAN CONNECT to {0} port {1}: {2}. Set another address with"
                        + " ASH_GATEWAY_HOST and ASH_GATEWAY_PORT",
                config.host(),
                Integer.toString(config.port()),
                problem);
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
