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
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Admits and settles the metered calls of all sandboxes. Their upstream connections stay open after
 * client or sandbox have ended, until the response shows the usage or a time limit expires.
 */
public final class Metering implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(Metering.class.getName());

    /** Time to settle the calls in flight when the server stops. */
    private static final Duration SETTLE_TIMEOUT = Duration.ofSeconds(2);

    private final Supplier<PriceTable> prices;
    private final Duration drain;
    private final Set<TimedConnection> open = new HashSet<>();
    private boolean closed;

    /**
     * {@code prices} is called for each call; {@code drain} is the time to read the rest of a
     * response after its sandbox has ended.
     */
    public Metering(Supplier<PriceTable> prices, Duration drain) {
        this.prices = prices;
        this.drain = drain;
    }

    /** Reserves the estimated cost. The caller must end the call to release the reservation. */
    Call admit(CallBudget budget, CallSize size, ModelApi api) throws ProxyException {
        var applicablePrices =
                prices.get()
                        .of(api.provider())
                        .countingUnknownModels(api.countsUnknownModels() || budget.limitsCost())
                        .withPriority(size.isPriority());
        var estimate = applicablePrices.estimate(size);
        try {
            return switch (budget.admit(estimate)) {
                case Admission.Admitted(var call) -> new Call(applicablePrices, estimate, call);
                case Admission.Rejected(var message) -> throw new ProxyException(402, message);
            };
        } catch (ApiException e) {
            throw new ProxyException(
                    503, "Ash: cannot reserve the cost of this call; try again: " + e.message());
        }
    }

    /**
     * Adds the connection of a call to those of its sandbox, until {@link #remove}. The one of a
     * metered call outlives the sandbox.
     */
    void open(TimedConnection upstream, SandboxConnections connections, ResponseObserver observer)
            throws IOException {
        if (!(observer instanceof Call)) {
            connections.add(upstream);
            return;
        }
        synchronized (this) {
            if (closed) {
                upstream.close();
                observer.onNotSent();
                throw new IOException("the server is shutting down");
            }
            open.add(upstream);
        }
        try {
            connections.addOutliving(upstream, drain);
        } catch (IOException e) {
            observer.onNotSent();
            remove(upstream, connections);
            throw e;
        }
    }

    /** Removes the connection of a call that has ended. */
    void remove(TimedConnection upstream, SandboxConnections connections) {
        connections.remove(upstream);
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
        long deadline = System.nanoTime() + SETTLE_TIMEOUT.toNanos();
        try {
            for (long left = SETTLE_TIMEOUT.toMillis();
                    !open.isEmpty() && left > 0;
                    left = Duration.ofNanos(deadline - System.nanoTime()).toMillis()) {
                wait(left);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Settles one call as soon as its response shows the usage, at the latest when the response
     * ends. Not thread-safe.
     */
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
        public void onNotSent() {
            free = true;
        }

        @Override
        public void onHead(ResponseHead response) {
            if (response.status() >= 300) {
                free = true;
            } else if (response.headers().has("content-encoding")) {
                LOG.log(
                        System.Logger.Level.WARNING,
                        "the model API compressed a response despite Accept-Encoding: identity;"
                                + " the estimate is charged");
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
        public void onBody(byte[] bytes, int length) {
            if (meter != null && !settled) {
                meter.accept(bytes, length);
                if (meter.isComplete()) {
                    onEnd();
                }
            }
        }

        @Override
        public boolean needsMore() {
            return meter != null && !settled;
        }

        @Override
        public void onEnd() {
            if (settled) {
                return;
            }
            settled = true;
            try {
                usage().ifPresentOrElse(call::settle, call::release);
            } catch (RuntimeException e) {
                LOG.log(System.Logger.Level.ERROR, "cannot record the usage of a model call", e);
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
