package dev.ash.server.egress;

import dev.ash.server.egress.CallBudget.CallInFlight;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Settles a call as soon as the answer shows what it used, or when it ends. For one thread. */
final class MeterTap implements Tap {
    private static final System.Logger LOG = System.getLogger(MeterTap.class.getName());

    private final Pricing pricing;
    private final Usage estimate;
    private final CallInFlight call;
    private @Nullable UsageMeter meter;
    private boolean free;
    private boolean settled;

    MeterTap(Pricing pricing, Usage estimate, CallInFlight call) {
        this.pricing = pricing;
        this.estimate = estimate;
        this.call = call;
    }

    @Override
    public void notSent() {
        free = true;
    }

    @Override
    public void head(ResponseHead answer) {
        if (answer.status() >= 300) {
            free = true;
        } else if (answer.headers().has("content-encoding")) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "the model's API compressed an answer although it was asked not to; the call is"
                            + " charged with its estimate");
        } else {
            var type =
                    String.join(",", answer.headers().values("content-type"))
                            .toLowerCase(Locale.ROOT);
            meter =
                    type.startsWith("text/event-stream")
                            ? UsageMeter.ofEvents()
                            : UsageMeter.ofObject();
        }
    }

    @Override
    public void piece(byte[] bytes, int length) {
        if (meter != null && !settled) {
            meter.piece(bytes, length);
            if (meter.complete()) {
                end();
            }
        }
    }

    @Override
    public boolean needsMore() {
        return meter != null && !settled;
    }

    @Override
    public void end() {
        if (settled) {
            return;
        }
        settled = true;
        try {
            usage().ifPresentOrElse(call::settle, call::release);
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.ERROR, "what a call used could not be recorded", e);
        }
    }

    private Optional<Usage> usage() {
        if (free) {
            return Optional.empty();
        }
        return meter == null ? Optional.of(estimate) : meter.usage(pricing, estimate);
    }
}
