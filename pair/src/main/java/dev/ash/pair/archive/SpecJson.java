package dev.ash.pair.archive;

import dev.ash.pair.PeerName;
import dev.ash.pair.loop.Budget;
import dev.ash.pair.loop.Mode;
import dev.ash.pair.loop.RunSpec;
import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;
import java.time.Duration;
import java.util.OptionalLong;

/** Converts {@link RunSpec}s to and from the JSON of a manifest. */
final class SpecJson {
    static RawJson write(RunSpec spec) {
        var budget = spec.budget();
        return JsonWriter.object()
                .put("task", spec.task())
                .put("mode", spec.mode().wire())
                .put("plan", spec.plan())
                .put("worker", spec.worker() == null ? null : spec.worker().value())
                .put("reviewer", spec.reviewer() == null ? null : spec.reviewer().value())
                .put("proof", spec.proof())
                .put("done_signal", spec.doneSignal())
                .put("max_rounds", budget.rounds())
                .put("time_ms", budget.time().toMillis())
                .put("turn_ms", budget.turn().toMillis())
                .put("max_tokens", budget.tokens())
                .put("max_cost_usd", budget.costUsd())
                .put("stalemate_rounds", budget.stalemateRounds())
                .put("asks_person", spec.asksPerson())
                .end();
    }

    static RunSpec read(RawJson text) throws MalformedJsonException {
        var json = JsonObject.parse(text);
        var tokens = json.number("max_tokens");
        try {
            return new RunSpec(
                    json.requireString("task"),
                    Mode.of(json.requireString("mode")),
                    json.isTrue("plan"),
                    json.string("worker").map(PeerName::new).orElse(null),
                    json.string("reviewer").map(PeerName::new).orElse(null),
                    json.string("proof").orElse(null),
                    json.string("done_signal").orElse(RunSpec.DONE),
                    new Budget(
                            json.integer("max_rounds").orElse(Budget.DEFAULT.rounds()),
                            time(json.number("time_ms"), Budget.DEFAULT.time()),
                            time(json.number("turn_ms"), Budget.DEFAULT.turn()),
                            tokens.isPresent() ? (Long) tokens.getAsLong() : null,
                            json.raw("max_cost_usd")
                                    .map(cost -> Double.valueOf(cost.toString()))
                                    .orElse(null),
                            json.integer("stalemate_rounds")
                                    .orElse(Budget.DEFAULT.stalemateRounds())),
                    json.isTrue("asks_person"));
        } catch (RuntimeException e) {
            throw new MalformedJsonException(String.valueOf(e.getMessage()));
        }
    }

    private static Duration time(OptionalLong millis, Duration defaultValue) {
        return millis.isPresent() ? Duration.ofMillis(millis.getAsLong()) : defaultValue;
    }

    private SpecJson() {}
}
