package dev.ash.server.health;

import dev.ash.protocol.rest.HealthResponse;
import dev.ash.sandbox.Network;
import dev.ash.server.http.Endpoint;
import dev.ash.server.runner.RunnerCoordinator;
import dev.ash.server.session.engine.Engines;
import dev.ash.server.session.lifecycle.LiveSessions;
import dev.ash.server.session.store.SessionStore;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.Supplier;

/** {@code GET /health}: needs no key, so it has only totals and no data of tenants. */
public final class HealthRoutes {
    private final RunnerCoordinator runners;
    private final LiveSessions live;
    private final SessionStore store;
    private final Engines engines;
    private final Supplier<HealthResponse.Gateway> gateway;
    private final Clock clock;
    private final String version;
    private final Instant started;

    public HealthRoutes(
            RunnerCoordinator runners,
            LiveSessions live,
            SessionStore store,
            Engines engines,
            Supplier<HealthResponse.Gateway> gateway,
            Clock clock,
            String version) {
        this.runners = runners;
        this.live = live;
        this.store = store;
        this.engines = engines;
        this.gateway = gateway;
        this.clock = clock;
        this.version = version;
        this.started = clock.instant();
    }

    public List<Endpoint> endpoints() {
        return List.of(
                Endpoint.get("/health")
                        .summary("Get health and load of the server")
                        .open()
                        .returns(200, HealthResponse.class)
                        .handledBy(exchange -> exchange.respond(200, health())));
    }

    /** Returns the current state of the server; also the source of its metrics. */
    public HealthResponse health() {
        var pool = runners.stats();
        return new HealthResponse(
                "ok",
                version,
                HostName.local() + "-" + ProcessHandle.current().pid(),
                store.countActive(),
                pool.running() + pool.waiting() + pool.warm() + pool.warming(),
                runners.remoteRunnerCount(),
                Duration.between(started, clock.instant()).toSeconds(),
                new HealthResponse.Pool(
                        pool.total(),
                        pool.cold(),
                        pool.warming(),
                        pool.warm(),
                        pool.waiting(),
                        pool.running(),
                        pool.maxCapacity(),
                        live.warmResumes(),
                        live.coldResumes(),
                        pool.preWarmHits()),
                runners.isolation(Network.CLOSED),
                engines.chooseDefault().value(),
                runners.orphanCount(),
                gateway.get());
    }
}
