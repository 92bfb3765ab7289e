package dev.ash.sandbox;

import dev.ash.protocol.json.JsonWriter;
import java.util.LinkedHashMap;
import java.util.Map;

/** Measures the steps of one launch, printed if {@code ASH_DEBUG_TIMING=1}. */
final class LaunchTiming {
    private final Map<String, Long> steps = new LinkedHashMap<>();
    private final long begun = System.nanoTime();
    private long last = begun;

    void mark(String step) {
        long now = System.nanoTime();
        steps.put(step, now - last);
        last = now;
    }

    /** Prints one JSON line to standard error, outside the log. */
    @SuppressWarnings("SystemOut")
    void print(SandboxSpec spec) {
        var json = JsonWriter.object().put("type", "timing").put("source", "sandbox");
        json.put("sandboxId", spec.id().value());
        if (spec.session() != null) {
            json.put("sessionId", spec.session().value());
        }
        steps.forEach((step, nanos) -> json.put(step, millis(nanos)));
        System.err.println(json.put("totalMs", millis(last - begun)).end());
    }

    private static Number millis(long nanos) {
        return Math.round(nanos / 10_000.0) / 100.0;
    }
}
