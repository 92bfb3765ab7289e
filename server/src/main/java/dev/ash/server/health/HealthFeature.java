package dev.ash.server.health;

import dev.ash.protocol.rest.HealthResponse;
import dev.ash.server.egress.model.RequestCounts;
import dev.ash.server.event.EventLog;
import dev.ash.server.http.Endpoint;
import dev.ash.server.runner.RunnerCoordinator;
import dev.ash.server.session.SessionFeature;
import dev.ash.server.session.engine.Engines;
import dev.ash.server.store.Storage;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** Assembles the endpoints that report on the server. */
public final class HealthFeature {
    private final List<Endpoint> endpoints;

    /** What is reported on. */
    public record Dependencies(
            Storage storage,
            EventLog log,
            Engines engines,
            RunnerCoordinator runners,
            SessionFeature sessions,
            RequestCounts requests,
            Supplier<HealthResponse.Gateway> gateway) {}

    public HealthFeature(Dependencies of, String version) {
        var health =
                new HealthRoutes(
                        of.runners(),
                        of.sessions().live(),
                        of.sessions().store(),
                        of.engines(),
                        of.gateway(),
                        of.storage().clock(),
                        version);
        var metrics =
                new MetricsRoutes(
                        health::health,
                        of.log().events(),
                        of.storage().database().writer(),
                        of.requests());
        this.endpoints =
                Stream.of(health.endpoints(), metrics.endpoints()).flatMap(List::stream).toList();
    }

    public List<Endpoint> endpoints() {
        return endpoints;
    }
}
