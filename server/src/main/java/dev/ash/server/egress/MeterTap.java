package dev.ash.server.egress;

import java.util.Locale;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Tells what a call used as soon as the answer says so, or when it ends. */
final class MeterTap implements Tap {
    private static final System.Logger LOG = System.getLogger(MeterTap.class.getName());

    private static final int BYTES_A_TOKEN = 4;

    private final ModelApi api;
    private final long sentBytes;
    private final Prices prices;
    private final Consumer<Usage> listener;
    private @Nullable UsageMeter meter;

    /** {@code sentBytes}: how long the request is, as far as that is known. */
    MeterTap(ModelApi api, long sentBytes, Prices prices, Consumer<Usage> listener) {
        this.api = api;
        this.sentBytes = sentBytes;
        this.prices = prices;
        this.listener = listener;
    }

    @Override
    public void head(ResponseHead answer) {
        if (answer.status() != 200) {
            return;
        }
        var type =
                String.join(",", answer.headers().values("content-type")).toLowerCase(Locale.ROOT);
        if (answer.headers().has("content-encoding")) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "the model's API compressed an answer although it was asked not to; what it"
                            + " used is not counted");
        } else {
            meter =
                    type.startsWith("text/event-stream")
                            ? UsageMeter.ofEvents()
                            : UsageMeter.ofObject();
        }
    }

    @Override
    public void piece(byte[] bytes, int length) {
        if (meter != null) {
            meter.piece(bytes, length);
            if (meter.complete()) {
                end();
            }
        }
    }

    @Override
    public void end() {
        var ended = meter;
        meter = null;
        if (ended != null && ended.anything()) {
            try {
                listener.accept(ended.usage(prices, api, sentBytes / BYTES_A_TOKEN));
            } catch (RuntimeException e) {
                LOG.log(System.Logger.Level.ERROR, "what a call used could not be recorded", e);
            }
        }
    }
}
