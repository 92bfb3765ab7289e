package dev.ash.server.egress.model;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.SessionId;
import dev.ash.server.egress.http.EgressLimits;
import dev.ash.server.egress.http.ProxyException;
import dev.ash.server.egress.http.ProxyExchange;
import dev.ash.server.egress.http.SandboxConnections;
import dev.ash.server.egress.http.TimedConnection;
import dev.ash.server.egress.http.TimedConnection.Deadlines;
import dev.ash.server.egress.policy.BlockedRequestReporter;
import dev.ash.server.spending.SessionBudget;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.URI;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** Generated calls of one session in waves of parallel calls; runs the proxy's code in memory. */
final class BudgetSchedule {
    private static final String PLACEHOLDER = "sk-ash-test";
    private static final ModelAccess ACCESS =
            new ModelAccess(URI.create("http://m/v1"), new ModelCredential.ApiKey("k"));

    /** Resources shared by all schedules. */
    record Environment(Deadlines deadlines, Metering metering, Crash crash) {}

    /** Simulates a killed process: after the crash, nothing is written. */
    interface Crash extends BooleanSupplier {
        void beforeSettle();
    }

    final SessionId session = SessionId.random();
    final WireText wire;
    final SessionBudget.Limits limits;
    private final Prices prices;
    private final List<List<CallPlan>> waves = new ArrayList<>();
    private final boolean overlapping;
    private int nextWave;

    // The charges of the model, and the bounds of the recorded usage; guarded by this.
    private double chargedUsd;
    private long chargedTokens;
    private double maxCallUsd;
    private long maxCallTokens;
    private long minMicros;
    private long maxMicros;
    private long minTokens;
    private long maxTokens;
    private int madeCalls;

    BudgetSchedule(Random random) {
        wire = WireText.values()[random.nextInt(WireText.values().length)];
        boolean money = random.nextInt(4) > 0;
        prices =
                PriceTable.builtIn()
                        .of(wire.api().provider())
                        .countingUnknownModels(money || wire.api().countsUnknownModels());
        limits =
                new SessionBudget.Limits(
                        money ? 0.0001 + random.nextDouble() * 0.5 : null,
                        money ? null : 1L + random.nextInt(20_000));
        int kind = random.nextInt(100);
        int calls = kind < 1 ? 64 : kind < 10 ? 7 + random.nextInt(12) : 1 + random.nextInt(6);
        overlapping = random.nextBoolean();
        while (calls > 0) {
            int size = kind < 1 ? calls : 1 + random.nextInt(calls);
            var wave = new ArrayList<CallPlan>();
            for (int i = 0; i < size; i++) {
                wave.add(CallPlan.random(random, wire, PLACEHOLDER));
            }
            waves.add(wave);
            calls -= size;
        }
    }

    /** Runs until the end or a crash; can be called again after a crash. */
    void run(Environment environment, SessionBudget budget) throws InterruptedException {
        while (nextWave < waves.size() && !environment.crash().getAsBoolean()) {
            var wave = waves.get(nextWave++);
            var arrived = new CountDownLatch(overlapping ? wave.size() : 0);
            var threads = new ArrayList<Thread>();
            for (var plan : wave) {
                threads.add(
                        Thread.ofVirtual()
                                .start(() -> new Call(plan, environment, budget, arrived).run()));
            }
            for (var thread : threads) {
                thread.join();
            }
        }
    }

    /** Returns the error in the recorded usage; empty if there is none. */
    synchronized Optional<String> check(long recordedMicros, long recordedTokens) {
        var budgetUsd = limits.maxBudgetUsd();
        var budgetTokens = limits.maxTokens();
        if (budgetUsd != null && chargedUsd > budgetUsd + maxCallUsd + 1e-9) {
            return Optional.of("charged $" + chargedUsd + " of $" + budgetUsd);
        }
        if (budgetTokens != null && chargedTokens > budgetTokens + maxCallTokens) {
            return Optional.of("charged " + chargedTokens + " of " + budgetTokens + " tokens");
        }
        if (recordedMicros < minMicros || recordedMicros > maxMicros) {
            return Optional.of(
                    "recorded %d micro dollars, not %d to %d"
                            .formatted(recordedMicros, minMicros, maxMicros));
        }
        if (recordedTokens < minTokens || recordedTokens > maxTokens) {
            return Optional.of(
                    "recorded %d tokens, not %d to %d"
                            .formatted(recordedTokens, minTokens, maxTokens));
        }
        return Optional.empty();
    }

    synchronized int madeCalls() {
        return madeCalls;
    }

    /** Returns whether the first call is made without concurrent calls. */
    boolean startsWithSingleCall() {
        return waves.getFirst().size() == 1 && waves.getFirst().getFirst().ending().isCharged();
    }

    /** One call; wraps the budget of its proxy to record estimates and to simulate crashes. */
    private final class Call implements CallBudget {
        private final CallPlan plan;
        private final Environment environment;
        private final SessionBudget budget;
        private final CountDownLatch arrived;

        private Call(
                CallPlan plan,
                Environment environment,
                SessionBudget budget,
                CountDownLatch arrived) {
            this.plan = plan;
            this.environment = environment;
            this.budget = budget;
            this.arrived = arrived;
        }

        void run() {
            var calls =
                    new ModelCalls(
                            PLACEHOLDER::equals,
                            new ModelSetup(
                                    wire.api(), () -> Optional.of(ACCESS), List.of(), false, this),
                            (_, _) -> connect(),
                            new SandboxConnections(),
                            environment.metering(),
                            new RequestCounts(),
                            new BlockedRequestReporter(_ -> {}, System::nanoTime),
                            _ -> {});
            try (var client =
                    TimedConnection.of(
                            new Socket(),
                            new ByteArrayInputStream(plan.request()),
                            new DisconnectingOutput(plan.acceptedBytes()),
                            environment.deadlines())) {
                var exchange = ProxyExchange.read(client, EgressLimits.DEFAULT);
                calls.serve(exchange, exchange.request().target());
            } catch (IOException | ProxyException e) {
                // The client has disconnected, or it received an error.
            } finally {
                arrived.countDown();
            }
        }

        private TimedConnection connect() throws IOException {
            if (plan.ending() == CallPlan.Ending.UNREACHABLE) {
                throw new IOException("unreachable");
            }
            if (plan.ending().isCharged()) {
                recordCharge();
            }
            arrived.countDown();
            return TimedConnection.of(
                    new Socket(),
                    new ResponseInput(plan.response(), arrived),
                    OutputStream.nullOutputStream(),
                    environment.deadlines());
        }

        private void recordCharge() {
            var tokens = plan.chargedTokens();
            double usd = prices.cost(plan.model(), tokens);
            long count = tokens.prompt() + tokens.output();
            synchronized (BudgetSchedule.this) {
                madeCalls++;
                chargedUsd += usd;
                chargedTokens += count;
                maxCallUsd = Math.max(maxCallUsd, usd);
                maxCallTokens = Math.max(maxCallTokens, count);
            }
        }

        /** Widens the bounds of the recorded usage. */
        private void expect(double minUsd, double maxUsd, long min, long max) {
            synchronized (BudgetSchedule.this) {
                minMicros += (long) Math.ceil(minUsd * 1e6 - 1e-4);
                maxMicros += (long) Math.ceil(maxUsd * 1e6 - 1e-4);
                minTokens += min;
                maxTokens += max;
            }
        }

        private void expectByPlan(ModelUsage estimate) {
            var tokens = plan.chargedTokens();
            long count = tokens.prompt() + tokens.output();
            double usd = prices.cost(plan.model(), tokens);
            if (!plan.ending().isCharged()) {
                expect(0, 0, 0, 0);
            } else if (plan.ending().hasExactUsage()) {
                expect(usd, usd, count, count);
            } else if (plan.ending() == CallPlan.Ending.EVENTS_TRUNCATED) {
                expect(usd, estimate.costUsd(), count, tokens(estimate));
            } else {
                expectEstimate(estimate);
            }
        }

        private void expectEstimate(ModelUsage estimate) {
            long tokens = tokens(estimate);
            expect(estimate.costUsd(), estimate.costUsd(), tokens, tokens);
        }

        private static long tokens(ModelUsage estimate) {
            return estimate.input() + estimate.output();
        }

        @Override
        public boolean limitsCost() {
            return budget.limitsCost();
        }

        @Override
        public Admission admit(ModelUsage estimate) {
            if (environment.crash().getAsBoolean()) {
                throw new ApiException(ErrorCode.SHUTTING_DOWN, "crashed");
            }
            return switch (budget.admit(estimate)) {
                case Admission.Admitted(var call) ->
                        new Admission.Admitted(withCrash(call, estimate));
                case Admission.Rejected rejected -> rejected;
            };
        }

        private CallInFlight withCrash(CallInFlight call, ModelUsage estimate) {
            return new CallInFlight() {
                @Override
                public void settle(ModelUsage usage) {
                    end(() -> call.settle(usage));
                }

                @Override
                public void release() {
                    end(call::release);
                }

                private void end(Runnable write) {
                    environment.crash().beforeSettle();
                    if (environment.crash().getAsBoolean()) {
                        expectEstimate(estimate);
                    } else {
                        write.run();
                        expectByPlan(estimate);
                    }
                }
            };
        }
    }

    /** The output of a client that disconnects after a number of bytes. */
    private static final class DisconnectingOutput extends OutputStream {
        private long remaining;

        private DisconnectingOutput(int bytes) {
            remaining = bytes;
        }

        @Override
        public void write(int b) throws IOException {
            write(new byte[1], 0, 1);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            remaining -= length;
            if (remaining < 0) {
                throw new IOException("the client has disconnected");
            }
        }
    }

    /** The response of the model in pieces; waits for the other calls of the wave first. */
    private static final class ResponseInput extends InputStream {
        private final byte[] response;
        private final CountDownLatch arrived;
        private int position;

        private ResponseInput(byte[] response, CountDownLatch arrived) {
            this.response = response;
            this.arrived = arrived;
        }

        @Override
        public int read() throws IOException {
            var one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
        }

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
            try {
                if (!arrived.await(60, TimeUnit.SECONDS)) {
                    throw new IOException("the other calls did not arrive");
                }
            } catch (InterruptedException e) {
                throw new IOException(e);
            }
            if (position == response.length) {
                return -1;
            }
            int count = Math.min(Math.min(length, 300), response.length - position);
            System.arraycopy(response, position, bytes, offset, count);
            position += count;
            return count;
        }

        @Override
        public String toString() {
            return Arrays.toString(response);
        }
    }
}
