package dev.ash.server.egress;

import dev.ash.protocol.ApiException;
import dev.ash.server.egress.CallBudget.Admission;
import dev.ash.server.egress.request.CallSize;
import java.io.IOException;
import java.time.Duration;

/**
 * Admits the calls of one sandbox that cost, and keeps their connections until they are settled.
 *
 * @param drain time to read the rest of an answer once the sandbox has ended
 */
record Metering(CallBudget budget, Prices prices, MeteredUpstreams upstreams, Duration drain) {
    /** The tap must be ended, or the call counts with its estimate until the server restarts. */
    MeterTap admit(CallSize size, ModelApi api) throws Refusal {
        var pricing = new Pricing(prices, api.countsUnknownModels() || budget.limitsCost());
        var estimate = pricing.estimate(size);
        return switch (decide(estimate)) {
            case Admission.Admitted(var call) -> new MeterTap(pricing, estimate, call);
            case Admission.Rejected(var sentence) -> throw new Refusal(402, sentence);
        };
    }

    private Admission decide(Usage estimate) throws Refusal {
        try {
            return budget.admit(estimate);
        } catch (ApiException e) {
            throw new Refusal(
                    503,
                    "Ash: the cost of this call could not be reserved; try again: " + e.sentence());
        }
    }

    Wire open(Wire upstream, Wires wires) throws IOException {
        upstreams.add(upstream);
        try {
            return wires.addOutliving(upstream, drain);
        } catch (IOException e) {
            upstreams.end(upstream);
            throw e;
        }
    }

    void end(Wire upstream, Wires wires) {
        wires.remove(upstream);
        upstreams.end(upstream);
    }
}
