package dev.ash.server.health;

import dev.ash.protocol.rest.HealthResponse;
import dev.ash.server.egress.model.RequestCounts;
import dev.ash.server.event.SessionEvents;
import dev.ash.server.http.Endpoint;
import dev.ash.server.http.Exchange;
import dev.ash.server.store.Writer;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** {@code GET /metrics}: for Prometheus, which needs an API key. */
public final class MetricsRoutes {
    private final Metrics metrics;

    public MetricsRoutes(
            Supplier<HealthResponse> health,
            SessionEvents events,
            Writer writer,
            RequestCounts requests) {
        this.metrics = new Metrics(health, events, writer, requests);
    }

    public List<Endpoint> endpoints() {
        return List.of(
                Endpoint.get("/metrics")
                        .summary("Get metrics in the Prometheus text format")
                        .returns(200, byte[].class)
                        .handledBy(this::respond));
    }

    private void respond(Exchange exchange) throws IOException {
        metrics.writeTo(exchange.stream(200, Map.of("Content-Type", metrics.contentType())));
    }
}
