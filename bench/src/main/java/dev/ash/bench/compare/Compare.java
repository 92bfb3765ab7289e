package dev.ash.bench.compare;

import dev.ash.bench.server.BenchServer;
import dev.ash.bench.server.BenchSession;
import dev.ash.bench.stats.PairedStatistics;
import dev.ash.bench.turn.Burst;
import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * Compares the latency and the event throughput of two builds. Both servers run concurrently; each
 * pair measures one after the other, with the order alternating between pairs.
 */
public final class Compare {
    /** The measured steps: first those of each session in this order, then a burst of events. */
    private enum Step {
        CREATE("create", true),
        FIRST_MESSAGE("first message", true),
        MESSAGE("message", true),
        STOP("stop", false),
        DELETE("delete", false),
        EVENTS("%,d events".formatted(Burst.EVENTS), true);

        private final String label;
        private final boolean isLimited;

        Step(String label, boolean isLimited) {
            this.label = label;
            this.isLimited = isLimited;
        }
    }

    private static final Set<Step> SESSION_STEPS = EnumSet.range(Step.CREATE, Step.DELETE);
    private static final String PROMPT = "hello";

    private final CompareOptions options;
    private final Map<Step, double[]> oldValues;
    private final Map<Step, double[]> newValues;

    private Compare(CompareOptions options) {
        this.options = options;
        this.oldValues = values(options.pairs());
        this.newValues = values(options.pairs());
    }

    private static Map<Step, double[]> values(int pairs) {
        var values = new EnumMap<Step, double[]>(Step.class);
        for (var step : Step.values()) {
            values.put(step, new double[pairs]);
        }
        return values;
    }

    /** Returns the exit code: 1 if a limit is exceeded, 2 if the options are invalid. */
    public static int run(List<String> arguments) throws IOException, InterruptedException {
        if (arguments.contains("--help")) {
            System.out.print(CompareOptions.HELP);
            return 0;
        }
        CompareOptions options;
        try {
            options = CompareOptions.parse(arguments);
        } catch (IllegalArgumentException e) {
            System.err.println(e.getMessage() + "; --help lists the options");
            return 2;
        }
        return new Compare(options).measure();
    }

    private int measure() throws IOException, InterruptedException {
        var variables =
                Map.of(
                        "ASH_REQUIRE_ISOLATION",
                        "1",
                        "ASH_PREWARM",
                        Integer.toString(options.prewarm()));
        try (var before = BenchServer.ofBuild(options.before(), variables, List.of());
                var after = BenchServer.ofBuild(options.after(), variables, List.of())) {
            for (var server : List.of(before, after)) {
                server.deploy("x.txt", new byte[0]);
                server.awaitAotCache();
            }
            for (int i = 0; i < options.warmUp(); i++) {
                pair(before, after, i, 0);
            }
            for (int i = 0; i < options.pairs(); i++) {
                pair(before, after, i, i);
            }
        }
        measureBursts();
        return print(System.out) ? 0 : 1;
    }

    /** The sessions run a bridge with almost no overhead, so that the server is the bottleneck. */
    private void measureBursts() throws IOException, InterruptedException {
        try (var before = BenchServer.ofBuildWithStandIn(options.before());
                var after = BenchServer.ofBuildWithStandIn(options.after())) {
            var oldSession = before.session();
            var newSession = after.session();
            try (var oldEvents = oldSession.subscribe(0);
                    var newEvents = newSession.subscribe(0)) {
                for (int i = -options.warmUp(); i < options.pairs(); i++) {
                    for (int side = 0; side < 2; side++) {
                        boolean isOld = (i & 1) == side;
                        double perSecond =
                                isOld
                                        ? Burst.round(oldSession, oldEvents)
                                        : Burst.round(newSession, newEvents);
                        if (i >= 0) {
                            var values = isOld ? oldValues : newValues;
                            Objects.requireNonNull(values.get(Step.EVENTS))[i] =
                                    1000 * Burst.EVENTS / perSecond;
                        }
                    }
                }
            }
        }
    }

    private void pair(BenchServer before, BenchServer after, int number, int index)
            throws IOException, InterruptedException {
        var sides =
                new ArrayList<>(List.of(new Side(before, oldValues), new Side(after, newValues)));
        if (number % 2 == 1) {
            sides = new ArrayList<>(sides.reversed());
        }
        for (var step : SESSION_STEPS) {
            for (var side : sides) {
                side.measure(step, index);
            }
        }
    }

    /** One of the two servers, with its session of this pair. */
    private static final class Side {
        private final BenchServer server;
        private final Map<Step, double[]> values;
        private BenchSession session;

        Side(BenchServer server, Map<Step, double[]> values) {
            this.server = server;
            this.values = values;
            this.session = new BenchSession(server, "");
        }

        void measure(Step step, int index) throws IOException, InterruptedException {
            long begin = System.nanoTime();
            switch (step) {
                case CREATE -> session = server.session();
                case FIRST_MESSAGE, MESSAGE -> session.turn(PROMPT);
                case STOP -> session.stop();
                case DELETE -> session.end();
                case EVENTS -> throw new IllegalArgumentException("not a step of a session");
            }
            double millis = (System.nanoTime() - begin) / 1e6;
            Objects.requireNonNull(values.get(step))[index] = millis;
        }
    }

    private boolean print(PrintStream out) {
        out.printf(
                "%d pairs after %d to warm up, user %s, %d processors%nold: %s%nnew: %s%n%n",
                options.pairs(),
                options.warmUp(),
                System.getProperty("user.name"),
                Runtime.getRuntime().availableProcessors(),
                options.before(),
                options.after());
        out.println(
                "milliseconds     old median  new median  difference  95 % bounds          upper bound"
                        + " / old median");
        boolean isWithin = true;
        for (var step : Step.values()) {
            var statistics =
                    new PairedStatistics(
                            Objects.requireNonNull(oldValues.get(step)),
                            Objects.requireNonNull(newValues.get(step)));
            boolean met = statistics.isWithin(options.limit() / 100);
            isWithin &= met || !step.isLimited;
            out.printf(
                    "%-15s %11.2f %11.2f %+11.2f  %+8.2f … %+8.2f  %+7.1f %%  %s%n",
                    step.label,
                    statistics.oldMedian(),
                    statistics.newMedian(),
                    statistics.difference(),
                    statistics.lowerBound(),
                    statistics.upperBound(),
                    100 * statistics.upperBound() / statistics.oldMedian(),
                    step.isLimited ? (met ? "met" : "NOT met") : "(no limit)");
        }
        out.printf(
                "%nThe limit is %.0f %% for create, messages and events: %s%n",
                options.limit(), isWithin ? "met" : "NOT met");
        return isWithin;
    }
}
