package dev.ash.server.session.recovery;

import dev.ash.server.store.KillPoint;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/**
 * What happens in one run: which server dies when, and what each client does. All of it follows
 * from the point and the seed; only the timing of threads does not.
 */
final class CrashPlan {
    /** A death that is no kill point of the server: that of a bridge. */
    static final String BRIDGE = "BRIDGE_KILLED";

    /** One of each kind, for the runs that every change goes through. */
    static final List<String> FEW =
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

    private static final KillPoint[] OF_FORKS = {KillPoint.FORK_LOGGED, KillPoint.FORK_COPIED};

    final String point;
    final Random random;
    final boolean reboots;
    final boolean killedTwice;
    final List<Client> clients = new ArrayList<>();
    private int deaths;

    /** What one client does with one session. */
    record Client(boolean asks, List<Op> ops) {}

    /** One thing that a client does. */
    enum Op {
        PROMPT,
        PROMPT_AND_LEAVE,
        QUEUE,
        TWICE,
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
        this.reboots = random.nextInt(8) == 0;
        this.killedTwice = random.nextInt(4) == 0;
        int sessions = 1 + random.nextInt(2);
        for (int i = 0; i < sessions; i++) {
            clients.add(client());
        }
    }

    static List<String> points() {
        var points = new ArrayList<String>();
        for (var point : KillPoint.values()) {
            if (!point.name().startsWith("SECRET_")) { // those of rotations: SealingKeyTest
                points.add(point.name());
            }
        }
        points.add(BRIDGE);
        return points;
    }

    private boolean aimsAt(KillPoint... points) {
        for (var each : points) {
            if (each.name().equals(point)) {
                return true;
            }
        }
        return false;
    }

    private Client client() {
        boolean rests = aimsAt(KillPoint.LAID_ASIDE, KillPoint.TURN_CONTINUED);
        boolean asks =
                rests
                        || aimsAt(
                                KillPoint.APPROVAL_DECIDED,
                                KillPoint.APPROVAL_SPENT,
                                KillPoint.APPROVAL_SENT)
                        || random.nextInt(2) == 0;
        var ops = new ArrayList<Op>();
        int count = 3 + random.nextInt(4);
        for (int i = 0; i < count; i++) {
            ops.add(op());
        }
        if (aimsAt(OF_FORKS)) {
            ops.add(Op.FORK);
        }
        if (point.equals(BRIDGE)) {
            ops.addAll(List.of(Op.KILL_BRIDGE, Op.PROMPT));
        }
        if (aimsAt(KillPoint.PROMPT_QUEUED, KillPoint.QUEUED_PROMPT_BEGUN)) {
            ops.addAll(List.of(Op.PROMPT_AND_LEAVE, Op.QUEUE, Op.QUEUE));
        }
        if (rests || aimsAt(KillPoint.RESTED)) {
            for (int i = 0; i < 3; i++) {
                ops.addAll(List.of(Op.PROMPT_AND_LEAVE, Op.SLEEP));
            }
        } else {
            Collections.shuffle(ops, random);
        }
        ops.addFirst(Op.PROMPT);
        return new Client(asks, ops);
    }

    private Op op() {
        return switch (random.nextInt(20)) {
            case 0, 1, 2, 3 -> Op.PROMPT;
            case 4, 5, 6 -> Op.PROMPT_AND_LEAVE;
            case 7, 8, 9, 10 -> Op.QUEUE;
            case 11 -> Op.TWICE;
            case 12, 13 -> Op.INTERRUPT;
            case 14 -> Op.PAUSE;
            case 15, 16 -> Op.SLEEP;
            case 17 -> Op.FORK;
            case 18 -> Op.STOP;
            default -> random.nextInt(3) == 0 ? Op.KILL_BRIDGE : Op.PROMPT;
        };
    }

    /** The steps of a turn. */
    static String steps(Random random, boolean asks) {
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

    /** When the next server dies. */
    CrashLife.Doom nextDoom() {
        deaths++;
        if (deaths == 1) {
            return point.equals(BRIDGE) ? CrashLife.Doom.NEVER : firstDoom();
        }
        boolean again = deaths <= 4 && random.nextInt(2) == 0;
        return again
                ? new CrashLife.Doom(null, 1 + random.nextInt(random.nextBoolean() ? 6 : 40))
                : CrashLife.Doom.NEVER;
    }

    private CrashLife.Doom firstDoom() {
        var target = KillPoint.valueOf(point);
        int count =
                switch (target) {
                    case WRITE_BEGUN, WRITE_COMMITTED, EVENT_PUBLISHED -> 1 + random.nextInt(35);
                    case EVENT_READ -> 1 + random.nextInt(20);
                    case EVENT_ACKED -> 1 + random.nextInt(8);
                    case SANDBOX_OPENED, SANDBOX_CONFIGURED -> 1 + random.nextInt(2);
                    case PROMPT_COMMITTED, PROMPT_SENT -> 1 + random.nextInt(5);
                    case APPROVAL_DECIDED, APPROVAL_SPENT, APPROVAL_SENT -> 1 + random.nextInt(4);
                    // Reached only by a server that recovers: this one dies in order to have one.
                    case BRIDGE_ADOPTED, SESSION_RECOVERED -> 0;
                    default -> 1 + random.nextInt(2);
                };
        return count == 0
                ? new CrashLife.Doom(null, 20 + random.nextInt(80))
                : new CrashLife.Doom(target, count);
    }

    /** The doom of the server after that, where the point is one of recovery. */
    boolean isOfRecovery() {
        return aimsAt(KillPoint.BRIDGE_ADOPTED, KillPoint.SESSION_RECOVERED);
    }
}
