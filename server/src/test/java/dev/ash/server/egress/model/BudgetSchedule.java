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
import dev.ash.server.egress.model.request.RequestPolicy;
import dev.ash.server.egress.policy.BlockedNotices;
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

/** Calls of one session in waves, each wave in parallel, through the proxy's code in memory. */
final class BudgetSchedule {
    static final Prices PRICES = Prices.load();
    private static final String PLACEHOLDER = "sk-ash-test";
    private static final ModelAccess ACCESS =
            new ModelAccess(URI.create("http://m/v1"), new ModelCredential.ApiKey("k"));

    /** What all schedules share. */
    record World(Deadlines deadlines, Metering metering, Crash crash) {}

    /** The moment from which nothing more is written, as if the process had been killed. */
    interface Crash extends BooleanSupplier {
        void settling();
    }

    final SessionId session = SessionId.random();
    final ModelApi api;
    final SessionBudget.Limits limits;
    private final List<List<CallPlan>> waves = new ArrayList<>();
    private final boolean overlapping;
    private int nextWave;

    // What the model charged, and the bounds of what must be recorded; guarded by this.
    private double answeredUsd;
    private long answeredTokens;
    private double maxCallUsd;
    private long maxCallTokens;
    private long leastMicros;
    private long mostMicros;
    private long leastTokens;
    private long mostTokens;
    private int dialled;

    BudgetSchedule(Random random) {
        api = random.nextInt(3) == 0 ? ModelApi.OPENAI : ModelApi.ANTHROPIC;
        boolean money = api == ModelApi.ANTHROPIC && random.nextInt(4) > 0;
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
                wave.add(CallPlan.random(random, api, PLACEHOLDER));
            }
            waves.add(wave);
            calls -= size;
        }
    }

    /** Runs until the end or a crash; to be called again after a crash. */
    void run(World world, SessionBudget budget) throws InterruptedException {
        while (nextWave < waves.size() && !world.crash().getAsBoolean()) {
            var wave = waves.get(nextWave++);
            var arrived = new CountDownLatch(overlapping ? wave.size() : 0);
            var threads = new ArrayList<Thread>();
            for (var plan : wave) {
                threads.add(
                        Thread.ofVirtual()
                                .start(() -> new Call(plan, world, budget, arrived).run()));
            }
            for (var thread : threads) {
                thread.join();
            }
        }
    }

    /** What is wrong with the recorded usage; empty if nothing is. */
    synchronized Optional<String> check(long recordedMicros, long recordedTokens) {
        var budgetUsd = limits.maxBudgetUsd();
        var budgetTokens = limits.maxTokens();
        if (budgetUsd != null && answeredUsd > budgetUsd + maxCallUsd + 1e-9) {
            return Optional.of("answered $" + answeredUsd + " of $" + budgetUsd);
        }
        if (budgetTokens != null && answeredTokens > budgetTokens + maxCallTokens) {
            return Optional.of("answered " + answeredTokens + " of " + budgetTokens + " tokens");
        }
        if (recordedMicros < leastMicros || recordedMicros > mostMicros) {
            return Optional.of(
                    "recorded %d micro dollars, not %d to %d"
                            .formatted(recordedMicros, leastMicros, mostMicros));
        }
        if (recordedTokens < leastTokens || recordedTokens > mostTokens) {
            return Optional.of(
                    "recorded %d tokens, not %d to %d"
                            .formatted(recordedTokens, leastTokens, mostTokens));
        }
        return Optional.empty();
    }

    synchronized int dialled() {
        return dialled;
    }

    /** Whether no other call can keep the first from being made. */
    boolean beginsWithOneCall() {
        return waves.getFirst().size() == 1 && waves.getFirst().getFirst().ending().charged();
    }

    /** One call; also the budget that its proxy asks, to see estimates and to crash. */
    private final class Call implements CallBudget {
        private final CallPlan plan;
        private final World world;
        private final SessionBudget budget;
        private final CountDownLatch arrived;

        private Call(CallPlan plan, World world, SessionBudget budget, CountDownLatch arrived) {
            this.plan = plan;
            this.world = world;
            this.budget = budget;
            this.arrived = arrived;
        }

        void run() {
            var calls =
                    new ModelCalls(
                            PLACEHOLDER::equals,
                            new ModelSetup(
                                    api,
                                    () -> Optional.of(ACCESS),
                                    new RequestPolicy(api.provider(), List.of(), false),
                                    this),
                            (_, _) -> connect(),
                            new SandboxConnections(),
                            world.metering(),
                            new RequestCounts(),
                            new BlockedNotices(_ -> {}, System::nanoTime),
                            _ -> {});
            try (var client =
                    TimedConnection.of(
                            new Socket(),
                            new ByteArrayInputStream(plan.request()),
                            new Leaving(plan.acceptedBytes()),
                            world.deadlines())) {
                var exchange = ProxyExchange.read(client, EgressLimits.DEFAULT);
                calls.serve(exchange, exchange.request().target());
            } catch (IOException | ProxyException e) {
                // The client is gone, or it received the reason.
            } finally {
                arrived.countDown();
            }
        }

        private TimedConnection connect() throws IOException {
            if (plan.ending() == CallPlan.Ending.UNREACHABLE) {
                throw new IOException("unreachable");
            }
            if (plan.ending().charged()) {
                answered();
            }
            arrived.countDown();
            return TimedConnection.of(
                    new Socket(),
                    new Answer(plan.answer(), arrived),
                    OutputStream.nullOutputStream(),
                    world.deadlines());
        }

        private void answered() {
            var tokens = plan.brokenTokens();
            double usd = api == ModelApi.OPENAI ? 0 : PRICES.cost(plan.model(), tokens);
            long count = tokens.prompt() + tokens.output();
            synchronized (BudgetSchedule.this) {
                dialled++;
                answeredUsd += usd;
                answeredTokens += count;
                maxCallUsd = Math.max(maxCallUsd, usd);
                maxCallTokens = Math.max(maxCallTokens, count);
            }
        }

        /** Adds to the bounds of what must be recorded. */
        private void expect(double leastUsd, double mostUsd, long least, long most) {
            synchronized (BudgetSchedule.this) {
                leastMicros += (long) Math.ceil(leastUsd * 1e6 - 1e-4);
                mostMicros += (long) Math.ceil(mostUsd * 1e6 - 1e-4);
                leastTokens += least;
                mostTokens += most;
            }
        }

        private void expectByPlan(ModelUsage estimate) {
            var tokens = plan.brokenTokens();
            long count = tokens.prompt() + tokens.output();
            double usd = api == ModelApi.OPENAI ? 0 : PRICES.cost(plan.model(), tokens);
            if (!plan.ending().charged()) {
                expect(0, 0, 0, 0);
            } else if (plan.ending().exact()) {
                expect(usd, usd, count, count);
            } else if (plan.ending() == CallPlan.Ending.BREAKS_WITHIN) {
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
            if (world.crash().getAsBoolean()) {
                throw new ApiException(ErrorCode.SHUTTING_DOWN, "crashed");
            }
            return switch (budget.admit(estimate)) {
                case Admission.Admitted(var call) ->
                        new Admission.Admitted(crashing(call, estimate));
                case Admission.Rejected rejected -> rejected;
            };
        }

        private CallInFlight crashing(CallInFlight call, ModelUsage estimate) {
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
                    world.crash().settling();
                    if (world.crash().getAsBoolean()) {
                        expectEstimate(estimate);
                    } else {
                        write.run();
                        expectByPlan(estimate);
                    }
                }
            };
        }
    }

    /** The client, which takes so many bytes and then is gone. */
    private static final class Leaving extends OutputStream {
        private long left;

        private Leaving(int bytes) {
            left = bytes;
        }

        @Override
        public void write(int b) throws IOException {
            write(new byte[1], 0, 1);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            left -= length;
            if (left < 0) {
                throw new IOException("the client is gone");
            }
        }
    }

    /** The model's side: waits for the other calls of its wave, then answers in pieces. */
    private static final class Answer extends InputStream {
        private final byte[] answer;
        private final CountDownLatch arrived;
        private int at;

        private Answer(byte[] answer, CountDownLatch arrived) {
            this.answer = answer;
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
            if (at == answer.length) {
                return -1;
            }
            int count = Math.min(Math.min(length, 300), answer.length - at);
            System.arraycopy(answer, at, bytes, offset, count);
            at += count;
            return count;
        }

        @Override
        public String toString() {
            return Arrays.toString(answer);
        }
    }
}
