package dev.ash.e2e.crash;

import dev.ash.server.store.KillPoint;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.stream.Stream;

/**
 * The random choices of a crash run. The same point and seed always produce the same plan.
 *
 * @param deaths the value of {@code ash.killAt} for each successive server; empty for a server that
 *     is killed externally
 * @param externalKillMs delay before the first server is killed externally; 0 for no such kill
 * @param killsBridges whether all bridges are killed with the first server, as in a power failure
 * @param answersLate whether the question is answered only after it was deferred
 */
record Plan(
        String point,
        long seed,
        List<String> deaths,
        int externalKillMs,
        boolean killsBridges,
        boolean answersLate,
        String decision,
        int queued,
        boolean disconnects,
        boolean redeploysFirst) {

    /** One point of each kind, for the regular test run. */
    static final List<String> SAMPLE_POINTS =
            List.of(
                    "MIGRATION_STATEMENT",
                    "WRITE_BEGUN",
                    "WRITE_COMMITTED",
                    "EVENT_READ",
                    "SANDBOX_OPENED",
                    "PROMPT_COMMITTED",
                    "PROMPT_SENT",
                    "QUEUED_PROMPT_BEGUN",
                    "APPROVAL_SPENT",
                    "LAID_ASIDE",
                    "TURN_CONTINUED",
                    "BRIDGE_ADOPTED",
                    "FORK_LOGGED");

    static final String OUTSIDE = "OUTSIDE";
    static final String NONE = "";

    static List<String> points() {
        return Stream.concat(
                        Arrays.stream(KillPoint.values())
                                .map(KillPoint::name)
                                .filter(name -> !name.startsWith("SECRET_")), // SealingKeyTest
                        Stream.of(OUTSIDE))
                .toList();
    }

    static Plan of(String point, long seed) {
        var random = new Random(seed * 1_000_003 + point.hashCode());
        var deaths = new ArrayList<String>();
        int externalKillMs = 0;
        if (point.equals(OUTSIDE)) {
            externalKillMs = 100 + random.nextInt(2500);
            deaths.add(NONE);
        } else {
            var wanted = KillPoint.valueOf(point);
            switch (wanted) {
                case BRIDGE_ADOPTED ->
                        deaths.add(one(random, "PROMPT_SENT:1", "EVENT_READ:9", "EVENT_ACKED:2"));
                case SESSION_RECOVERED ->
                        deaths.add(
                                one(
                                        random,
                                        "SESSION_REGISTERED:2",
                                        "SANDBOX_OPENED:1",
                                        "FORK_LOGGED:1"));
                default -> {}
            }
            deaths.add(point + ":" + (1 + random.nextInt(times(wanted))));
        }
        if (random.nextInt(3) == 0) { // a second death, during recovery
            deaths.add(
                    one(
                            random,
                            "BRIDGE_ADOPTED:1",
                            "SESSION_RECOVERED:1",
                            "WRITE_BEGUN:" + (1 + random.nextInt(3)),
                            "WRITE_COMMITTED:" + (1 + random.nextInt(3)),
                            "EVENT_READ:1"));
        }
        var deferred = List.of("LAID_ASIDE", "TURN_CONTINUED").contains(point);
        return new Plan(
                point,
                seed,
                List.copyOf(deaths),
                externalKillMs,
                random.nextInt(6) == 0 && !point.equals("BRIDGE_ADOPTED"),
                (random.nextBoolean() || deferred) && !point.equals("APPROVAL_SPENT"),
                one(random, "approved", "approved", "modified", "rejected"),
                1 + random.nextInt(2),
                random.nextBoolean(),
                random.nextBoolean());
    }

    /** Returns how often a scenario reaches the point at least. */
    private static int times(KillPoint point) {
        return switch (point) {
            case WRITE_BEGUN, WRITE_COMMITTED -> 40;
            case EVENT_READ, EVENT_PUBLISHED -> 30;
            case MIGRATION_STATEMENT -> 10;
            case EVENT_ACKED -> 5;
            case SANDBOX_OPENED, SANDBOX_CONFIGURED -> 4;
            case PROMPT_COMMITTED, PROMPT_SENT -> 3;
            case SESSION_REGISTERED, RESTED -> 2;
            default -> 1;
        };
    }

    private static String one(Random random, String... of) {
        return of[random.nextInt(of.length)];
    }

    Queue<String> deathQueue() {
        return new ArrayDeque<>(deaths);
    }

    /** Returns the number of servers that die before the one killed at the point. */
    int deathsBeforePoint() {
        return point.equals("BRIDGE_ADOPTED") || point.equals("SESSION_RECOVERED") ? 1 : 0;
    }

    boolean isMigration() {
        return point.equals(KillPoint.MIGRATION_STATEMENT.name());
    }

    @Override
    public String toString() {
        return "-Dash.crash.point=%s -Dash.crash.seed=%d (deaths %s%s%s, answer %s%s)"
                .formatted(
                        point,
                        seed,
                        deaths,
                        externalKillMs > 0 ? " after " + externalKillMs + " ms" : "",
                        killsBridges ? ", and the bridges" : "",
                        decision,
                        answersLate ? " late" : "");
    }
}
