package dev.ash.server.health;

import dev.ash.protocol.rest.HealthResponse;
import dev.ash.server.egress.model.RequestCounts;
import dev.ash.server.event.SessionEvents;
import dev.ash.server.store.CommitObserver;
import dev.ash.server.store.Writer;
import io.prometheus.metrics.config.EscapingScheme;
import io.prometheus.metrics.core.metrics.CounterWithCallback;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.IOException;
import java.io.OutputStream;
import java.util.function.Supplier;

/**
 * The metrics of {@code GET /metrics}. All but the two histograms are collected on request, and the
 * histograms are updated once per commit, so metrics add no cost to events and requests.
 */
final class Metrics {
    private final PrometheusRegistry registry = new PrometheusRegistry();
    private final PrometheusTextFormatWriter format = PrometheusTextFormatWriter.create();

    Metrics(
            Supplier<HealthResponse> health,
            SessionEvents events,
            Writer writer,
            RequestCounts requests) {
        registry.register(new HealthMetrics(health));
        CounterWithCallback.builder()
                .name("ash_events_stored_total")
                .help("Events committed to the log since the server started")
                .callback(counter -> counter.call((double) events.committedCount()))
                .register(registry);
        GaugeWithCallback.builder()
                .name("ash_watchers")
                .help("Open event streams and polls")
                .callback(gauge -> gauge.call(events.subscriberCount()))
                .register(registry);
        GaugeWithCallback.builder()
                .name("ash_writer_queue")
                .help("Units of work queued for the writer")
                .callback(gauge -> gauge.call(writer.queued()))
                .register(registry);
        observe(writer);
        observe(requests);
    }

    private void observe(RequestCounts requests) {
        CounterWithCallback.builder()
                .name("ash_model_requests_rejected_total")
                .help("Model requests of sandboxes that were rejected because of their content")
                .callback(counter -> counter.call((double) requests.rejected()))
                .register(registry);
        CounterWithCallback.builder()
                .name("ash_model_request_unknown_fields_total")
                .help("Unknown fields of model requests that were forwarded")
                .callback(counter -> counter.call((double) requests.unknownFields()))
                .register(registry);
        CounterWithCallback.builder()
                .name("ash_model_request_dropped_headers_total")
                .help("Headers of model requests that were dropped or lost beta features")
                .callback(counter -> counter.call((double) requests.droppedHeaders()))
                .register(registry);
        CounterWithCallback.builder()
                .name("ash_model_calls_repeated_total")
                .help("Model calls that were repeated because the API closed a kept connection")
                .callback(counter -> counter.call((double) requests.repeated()))
                .register(registry);
        CounterWithCallback.builder()
                .name("ash_model_calls_rate_limited_total")
                .help("Model calls that were repeated because the API had rejected them with 429")
                .callback(counter -> counter.call((double) requests.rateLimited()))
                .register(registry);
    }

    private void observe(Writer writer) {
        var units =
                Histogram.builder()
                        .name("ash_commit_units")
                        .help("Units of work per commit")
                        .classicOnly()
                        .classicUpperBounds(1, 2, 4, 8, 16, 32, 64, 128, 256, 512)
                        .register(registry);
        var seconds =
                Histogram.builder()
                        .name("ash_commit_seconds")
                        .help("Duration of a commit, including the disk flush")
                        .classicOnly()
                        .classicUpperBounds(
                                0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 1,
                                5)
                        .register(registry);
        writer.onCommit(new CommitObserver(units::observe, seconds::observe));
    }

    String contentType() {
        return PrometheusTextFormatWriter.CONTENT_TYPE;
    }

    void writeTo(OutputStream out) throws IOException {
        format.write(out, registry.scrape(), EscapingScheme.UNDERSCORE_ESCAPING);
    }
}
