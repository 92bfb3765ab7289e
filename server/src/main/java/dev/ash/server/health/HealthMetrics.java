package dev.ash.server.health;

import dev.ash.protocol.rest.HealthResponse;
import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.function.Supplier;

/** Exports the figures of {@code GET /health} under the metric names of existing dashboards. */
final class HealthMetrics implements MultiCollector {
    private final Supplier<HealthResponse> health;

    HealthMetrics(Supplier<HealthResponse> health) {
        this.health = health;
    }

    @Override
    public MetricSnapshots collect() {
        var now = health.get();
        var pool = now.pool();
        return MetricSnapshots.of(
                gauge("ash_up", "Whether the server is up")
                        .dataPoint(point(1, Labels.of("coordinator", now.coordinatorId())))
                        .build(),
                gauge("ash_uptime_seconds", "Seconds since the server started", now.uptime()),
                gauge("ash_active_sessions", "Sessions that are active", now.activeSessions()),
                gauge("ash_active_sandboxes", "Sandboxes with a process", now.activeSandboxes()),
                gauge("ash_pool_sandboxes", "Sandboxes by state")
                        .dataPoint(inState("cold", pool.cold()))
                        .dataPoint(inState("warming", pool.warming()))
                        .dataPoint(inState("warm", pool.warm()))
                        .dataPoint(inState("waiting", pool.waiting()))
                        .dataPoint(inState("running", pool.running()))
                        .build(),
                gauge("ash_pool_max_capacity", "Maximum number of sandboxes", pool.maxCapacity()),
                CounterSnapshot.builder()
                        .name("ash_resume")
                        .help("Sandboxes provided for sessions, by path")
                        .dataPoint(resumed("warm", pool.resumeWarmHits()))
                        .dataPoint(resumed("cold", pool.resumeColdHits()))
                        .dataPoint(resumed("prewarm", pool.preWarmHits()))
                        .build());
    }

    private static GaugeSnapshot.Builder gauge(String name, String help) {
        return GaugeSnapshot.builder().name(name).help(help);
    }

    private static GaugeSnapshot gauge(String name, String help, long value) {
        return gauge(name, help).dataPoint(point(value, Labels.EMPTY)).build();
    }

    private static GaugeSnapshot.GaugeDataPointSnapshot inState(String state, int count) {
        return point(count, Labels.of("state", state));
    }

    private static GaugeSnapshot.GaugeDataPointSnapshot point(long value, Labels labels) {
        return GaugeSnapshot.GaugeDataPointSnapshot.builder()
                .value((double) value)
                .labels(labels)
                .build();
    }

    private static CounterSnapshot.CounterDataPointSnapshot resumed(String path, long count) {
        return CounterSnapshot.CounterDataPointSnapshot.builder()
                .value((double) count)
                .labels(Labels.of("path", path))
                .build();
    }
}
