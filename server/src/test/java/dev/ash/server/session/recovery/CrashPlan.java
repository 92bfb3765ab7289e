package dev.ash.server.session.recovery;

import dev.ash.server.store.KillPoint;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/**
 * The plan of one run: when each server is killed, and the operations of each client. Determined by
 * the kill point and the seed, except for the timing of threads.
 */
final class CrashPlan {
    /** Kills a bridge instead of the server. */
    static final String BRIDGE_KILLED = "BRIDGE_KILLED";

    /** One kill point of each kind, for the short suite. */
    static final List<String> REPRESENTATIVE_POINTS =
            List.of(
                    "WRITE_BEGUN",
                    "WRITE_COMMITTED",
                    "EVENT_READ",
                    "EVENT_PUBLISHED",
                    "EVENT_ACKED",
                    "SANDBOX_OPENED",
                    "PROMPT_COMMITTED",
                    "PROMPT_SENT",
                    "QUEUED_PROMPT_BEGUN",
                    "APPROVAL_SPENT",
                    "LAID_ASIDE",
                    "BRIDGE_ADOPTED",
                    "FORK_LOGGED");

    private static final KillPoint[] FORK_POINTS = {KillPoint.FORK_LOGGED, KillPoint.FORK_COPIED};

    final String point;
    final Random random;
    final boolean hostReboots;
    final boolean killedTwice;
    final List<Client> clients = new ArrayList<>();
    private int servers;

    /** The operations of one client on one session. */
    record Client(boolean asks, List<Operation> operations) {}

    /** An operation of a client. */
    enum Operation {
        PROMPT,
        PROMPT_AND_LEAVE,
        QUEUE,
        PROMPT_TWICE,
        INTERRUPT,
        PAUSE,
        SLEEP,
        FORK,
        STOP,
        KILL_BRIDGE
    }

    CrashPlan(String point, long seed) {
        this.point = point;
        this.random = new Random(31 * seed + point.hashCode());
        this.hostReboots = random.nextInt(8) == 0;
        this.killedTwice = random.nextInt(4) == 0;
        int sessions = 1 + random.nextInt(2);
        for (int i = 0; i < sessions; i++) {
            clients.add(randomClient());
        }
    }

    static List<String> points() {
        var points = new ArrayList<String>();
        for (var point : KillPoint.values()) {
            if (!point.name().startsWith("SECRET_")) { // tested by SealingKeyTest
                points.add(point.name());
            }
        }
        points.add(BRIDGE_KILLED);
        return points;
    }

    private boolean targets(KillPoint... points) {
        for (var each : points) {
            if (each.name().equals(point)) {
                return true;
            }
        }
        return false;
    }

    private Client randomClient() {
        boolean isDeferred = targets(KillPoint.LAID_ASIDE, KillPoint.TURN_CONTINUED);
        boolean asks =
                isDeferred
                        || targets(
                                KillPoint.APPROVAL_DECIDED,
                                KillPoint.APPROVAL_SPENT,
                                KillPoint.APPROVAL_SENT)
                        || random.nextInt(2) == 0;
        var operations = new ArrayList<Operation>();
        int count = 3 + random.nextInt(4);
        for (int i = 0; i < count; i++) {
            operations.add(randomOperation());
        }
        if (targets(FORK_POINTS)) {
            operations.add(Operation.FORK);
        }
        if (point.equals(BRIDGE_KILLED)) {
            operations.addAll(List.of(Operation.KILL_BRIDGE, Operation.PROMPT));
        }
        if (targets(KillPoint.PROMPT_QUEUED, KillPoint.QUEUED_PROMPT_BEGUN)) {
            operations.addAll(
                    List.of(Operation.PROMPT_AND_LEAVE, Operation.QUEUE, Operation.QUEUE));
        }
        if (isDeferred || targets(KillPoint.RESTED)) {
            for (int i = 0; i < 3; i++) {
                operations.addAll(List.of(Operation.PROMPT_AND_LEAVE, Operation.SLEEP));
            }
        } else {
            Collections.shuffle(operations, random);
        }
        operations.addFirst(Operation.PROMPT);
        return new Client(asks, operations);
    }

    private Operation randomOperation() {
        return switch (random.nextInt(20)) {
            case 0, 1, 2, 3 -> Operation.PROMPT;
            case 4, 5, 6 -> Operation.PROMPT_AND_LEAVE;
            case 7, 8, 9, 10 -> Operation.QUEUE;
            case 11 -> Operation.PROMPT_TWICE;
            case 12, 13 -> Operation.INTERRUPT;
            case 14 -> Operation.PAUSE;
            case 15, 16 -> Operation.SLEEP;
            case 17 -> Operation.FORK;
            case 18 -> Operation.STOP;
            default -> random.nextInt(3) == 0 ? Operation.KILL_BRIDGE : Operation.PROMPT;
        };
    }

    /** Returns the steps of a turn, see {@link TurnScript}. */
    static String randomSteps(Random random, boolean asks) {
        var steps = new StringBuilder();
        int count = random.nextInt(6);
        for (int i = 0; i < count; i++) {
            steps.append("mmmhwtts".charAt(random.nextInt(8)));
        }
        if (asks && steps.indexOf("t") < 0) {
            steps.append('t');
        }
        steps.append('m');
        int end = random.nextInt(24);
        return steps.append(end == 0 ? "E" : end <= 2 ? "b" : "").toString();
    }

    /** Returns when the next server is killed. */
    ServerLifetime.KillTrigger nextKill() {
        servers++;
        if (servers == 1) {
            return point.equals(BRIDGE_KILLED) ? ServerLifetime.KillTrigger.NEVER : firstKill();
        }
        boolean again = servers <= 4 && random.nextInt(2) == 0;
        return again
                ? new ServerLifetime.KillTrigger(
                        null, 1 + random.nextInt(random.nextBoolean() ? 6 : 40))
                : ServerLifetime.KillTrigger.NEVER;
    }

    private ServerLifetime.KillTrigger firstKill() {
        var target = KillPoint.valueOf(point);
        int count =
                switch (target) {
                    case WRITE_BEGUN, WRITE_COMMITTED, EVENT_PUBLISHED -> 1 + random.nextInt(35);
                    case EVENT_READ -> 1 + random.nextInt(20);
                    case EVENT_ACKED -> 1 + random.nextInt(8);
                    case SANDBOX_OPENED, SANDBOX_CONFIGURED -> 1 + random.nextInt(2);
                    case PROMPT_COMMITTED, PROMPT_SENT -> 1 + random.nextInt(5);
                    case APPROVAL_DECIDED, APPROVAL_SPENT, APPROVAL_SENT -> 1 + random.nextInt(4);
                    // Only reached during recovery, so kill this server at any point first.
                    case BRIDGE_ADOPTED, SESSION_RECOVERED -> 0;
                    default -> 1 + random.nextInt(2);
                };
        return count == 0
                ? new ServerLifetime.KillTrigger(null, 20 + random.nextInt(80))
                : new ServerLifetime.KillTrigger(target, count);
    }

    /** Whether the kill point is only reached during recovery. */
    boolean targetsRecovery() {
        return targets(KillPoint.BRIDGE_ADOPTED, KillPoint.SESSION_RECOVERED);
    }
}
