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

/** {@code GET /health}: open to all, so it tells counts and nothing of whose they are. */
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
                        .summary("Tell whether the server is well, and how full")
                        .open()
                        .answers(200, HealthResponse.class)
                        .handledBy(exchange -> exchange.answer(200, health())));
    }

    /** What the server would answer now; also the source of its metrics. */
    public HealthResponse health() {
        var pool = runners.stats();
        return new HealthResponse(
                "ok",
                version,
                HostName.here() + "-" + ProcessHandle.current().pid(),
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
