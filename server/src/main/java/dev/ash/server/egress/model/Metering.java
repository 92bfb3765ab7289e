package dev.ash.server.egress.model;

import dev.ash.protocol.ApiException;
import dev.ash.server.egress.http.ProxyException;
import dev.ash.server.egress.http.ResponseHead;
import dev.ash.server.egress.http.ResponseObserver;
import dev.ash.server.egress.http.SandboxConnections;
import dev.ash.server.egress.http.TimedConnection;
import dev.ash.server.egress.model.CallBudget.Admission;
import dev.ash.server.egress.model.CallBudget.CallInFlight;
import dev.ash.server.egress.model.request.CallSize;
import java.io.IOException;
import java.time.Duration;
import java.util.HashSet;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Admits and settles the metered calls of all sandboxes. Their upstream connections outlive client
 * and sandbox until the response shows the usage, within a time limit.
 */
public final class Metering implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(Metering.class.getName());

    /** Time to settle calls that are cut off when the server stops. */
    private static final Duration SETTLING = Duration.ofSeconds(2);

    private final Prices prices;
    private final Duration drain;
    private final Set<TimedConnection> open = new HashSet<>();
    private boolean closed;

    /** {@code drain} is the time to read the rest of a response once its sandbox has ended. */
    public Metering(Duration drain) {
        this.prices = Prices.load();
        this.drain = drain;
    }

    /** Reserves the estimated cost. The caller must end the call, or its reservation remains. */
    Call admit(CallBudget budget, CallSize size, ModelApi api) throws ProxyException {
        var counted =
                prices.countingUnknownModels(api.countsUnknownModels() || budget.limitsCost());
        var estimate = counted.estimate(size);
        try {
            return switch (budget.admit(estimate)) {
                case Admission.Admitted(var call) -> new Call(counted, estimate, call);
                case Admission.Rejected(var sentence) -> throw new ProxyException(402, sentence);
            };
        } catch (ApiException e) {
            throw new ProxyException(
                    503,
                    "Ash: the cost of this call could not be reserved; try again: " + e.message());
        }
    }

    /** Keeps an upstream connection open until {@link #end}. */
    TimedConnection open(TimedConnection upstream, SandboxConnections connections)
            throws IOException {
        synchronized (this) {
            if (closed) {
                upstream.close();
                throw new IOException("the server is shutting down");
            }
            open.add(upstream);
        }
        try {
            return connections.addOutliving(upstream, drain);
        } catch (IOException e) {
            close(upstream);
            throw e;
        }
    }

    /** Closes an upstream connection; the call must have ended before. */
    void end(TimedConnection upstream, SandboxConnections connections) {
        connections.remove(upstream);
        close(upstream);
    }

    private void close(TimedConnection upstream) {
        upstream.close();
        synchronized (this) {
            open.remove(upstream);
            notifyAll();
        }
    }

    /** Closes all upstream connections and waits until their calls are settled. */
    @Override
    public synchronized void close() {
        closed = true;
        open.forEach(TimedConnection::close);
        long deadline = System.nanoTime() + SETTLING.toNanos();
        try {
            for (long left = SETTLING.toMillis();
                    !open.isEmpty() && left > 0;
                    left = Duration.ofNanos(deadline - System.nanoTime()).toMillis()) {
                wait(left);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Settles one call as soon as its response shows the usage, or when it ends. One thread. */
    static final class Call implements ResponseObserver {
        private final Prices prices;
        private final ModelUsage estimate;
        private final CallInFlight call;
        private @Nullable UsageMeter meter;
        private boolean free;
        private boolean settled;

        private Call(Prices prices, ModelUsage estimate, CallInFlight call) {
            this.prices = prices;
            this.estimate = estimate;
            this.call = call;
        }

        @Override
        public void notSent() {
            free = true;
        }

        @Override
        public void head(ResponseHead response) {
            if (response.status() >= 300) {
                free = true;
            } else if (response.headers().has("content-encoding")) {
                LOG.log(
                        System.Logger.Level.WARNING,
                        "the model's API compressed an answer although it was asked not to; the"
                                + " call is charged with its estimate");
            } else {
                var type =
                        String.join(",", response.headers().values("content-type"))
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

        private Optional<ModelUsage> usage() {
            if (free) {
                return Optional.empty();
            }
            return meter == null ? Optional.of(estimate) : meter.usage(prices, estimate);
        }
    }
}
