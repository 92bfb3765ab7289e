package dev.ash.server.health;

import dev.ash.protocol.rest.HealthResponse;
import dev.ash.server.egress.model.RequestCounts;
import dev.ash.server.event.EventLog;
import dev.ash.server.http.Endpoint;
import dev.ash.server.session.SessionFeature;
import dev.ash.server.store.Storage;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** Assembles the health and metrics endpoints. */
public final class HealthFeature {
    private final Storage storage;
    private final EventLog log;
    private final SessionFeature sessions;
    private final Supplier<HealthResponse.Gateway> gateway;
    private final RequestCounts requests;

    public HealthFeature(
            Storage storage,
            EventLog log,
            SessionFeature sessions,
            Supplier<HealthResponse.Gateway> gateway,
            RequestCounts requests) {
        this.storage = storage;
        this.log = log;
        this.sessions = sessions;
        this.gateway = gateway;
        this.requests = requests;
    }

    public List<Endpoint> endpoints(String version) {
        var health =
                new HealthRoutes(
                        sessions.runners(),
                        sessions.live(),
                        sessions.store(),
                        sessions.engines(),
                        gateway,
                        storage.clock(),
                        version);
        var metrics =
                new MetricsRoutes(
                        health::health, log.events(), storage.database().writer(), requests);
        return Stream.of(health.endpoints(), metrics.endpoints()).flatMap(List::stream).toList();
    }
}
