package dev.ash.e2e.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.e2e.AshServer;
import dev.ash.e2e.FreePort;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A phone that drops at random during streams and approvals, and servers that are killed: in the
 * end the phone has what the log has, once and in order. {@code -Dash.drops=500} is the long form,
 * {@code -Dash.drops.seed} repeats what was drawn.
 */
class DropTest {
    private static final int DROPS = Integer.getInteger("ash.drops", 20);
    private static final int KILLS = Math.max(3, DROPS / 50);
    private static final long SEED = Long.getLong("ash.drops.seed", System.nanoTime());
    private static final int TURNS_OF_A_SESSION = 10;
    private static final List<String> PROMPTS =
            List.of("demo: run echo it was asked", "demo: slow 12", "demo: messages 900");

    private final Random random = new Random(SEED);
    private int prompts;

    @Test
    @Timeout(value = 30, unit = TimeUnit.MINUTES) // for the long form
    void aPhoneThatDropsIsToldEverythingOnce() {
        try (var server = AshServer.start(gateway(0))) {
            var drops = new RandomDrops(random, DROPS);
            int turns = 0;
            int repeats = 0;
            try (var phone = new DroppingPhone(DeviceClient.pair(server), drops);
                    var steady =
                            new DroppingPhone(
                                    DeviceClient.pair(server), DroppingPhone.Drops.NEVER)) {
                phone.decides(DropTest::decision);
                while (drops.left() > 0) {
                    var session = phone.start(Map.of("agent", "demo", "resume", false));
                    steady.start(Map.of("session_id", session, "resume", true));
                    drops.begin();
                    int here = 0;
                    while (here < TURNS_OF_A_SESSION && drops.left() > 0) {
                        turn(phone, session, ++here);
                    }
                    drops.pause();
                    turns += here;
                    int all = here;
                    steady.await("the end", () -> steady.story(session).turns() == all);
                    var truth = Truth.of(server, session);
                    assertThat(truth.turns()).isEqualTo(here);
                    phone.story(session).assertIs(truth);
                    steady.story(session).assertIs(truth);
                    steady.story(session).assertHasNoRepeats();
                    repeats += phone.story(session).repeats();
                }
                phone.assertIsFine();
                steady.assertIsFine();
            } catch (AssertionError e) {
                throw new AssertionError("with seed " + SEED + " after " + drops, e);
            }
            System.out.printf(
                    "drops %s, %d turns, %d repeats, seed %d%n", drops, turns, repeats, SEED);
        }
    }

    /** A whole turn, however often the phone drops meanwhile. */
    private void turn(DroppingPhone phone, String session, int number) {
        var id = ask(phone, session);
        phone.await("the end of turn " + number, () -> phone.story(session).turns() == number);
        phone.arrived(id);
    }

    private String ask(DroppingPhone phone, String session) {
        return ask(phone, session, prompt(random.nextInt(3)));
    }

    private String ask(DroppingPhone phone, String session, String prompt) {
        var id = DroppingPhone.PROMPT + ++prompts;
        phone.send(id, "message", Map.of("session_id", session, "content", prompt, "role", "user"));
        return id;
    }

    private String prompt(int kind) {
        return switch (kind) {
            case 0 -> "demo: slow " + (3 + random.nextInt(8));
            case 1 -> "demo: messages " + (10 + random.nextInt(300));
            default -> "demo: run echo it was asked; seq " + random.nextInt(50);
        };
    }

    /** Always the same for the same call. */
    private static Map<String, ?> decision(String call) {
        return switch (Math.floorMod(call.hashCode(), 3)) {
            case 0 -> Map.of("decision", "approved");
            case 1 -> Map.of("decision", "rejected");
            default ->
                    Map.of(
                            "decision",
                            "modified",
                            "modifications",
                            Map.of("command", "echo it was changed"));
        };
    }

    @Test
    @Timeout(value = 30, unit = TimeUnit.MINUTES) // for the long form
    void aPhoneIsToldEverythingOnceOverServersThatAreKilled() throws Exception {
        var server = AshServer.start(gateway(FreePort.find()));
        int repeats = 0;
        try (var phone = new DroppingPhone(DeviceClient.pair(server), DroppingPhone.Drops.NEVER)) {
            var session = phone.start(Map.of("agent", "demo", "resume", false));
            for (int turn = 1; turn <= KILLS; turn++) {
                server = killedInATurn(server, phone, session, turn);
            }
            phone.assertIsFine();
            var truth = Truth.of(server, session);
            assertThat(truth.turns()).isEqualTo(KILLS);
            phone.story(session).assertIs(truth);
            repeats = phone.story(session).repeats();
        } catch (AssertionError e) {
            throw new AssertionError("with seed " + SEED, e);
        } finally {
            server.close();
        }
        System.out.printf("%d kills, %d repeats, seed %d%n", KILLS, repeats, SEED);
    }

    /** In the middle of a stream, or of a question, which is answered by way of the next server. */
    private AshServer killedInATurn(AshServer server, DroppingPhone phone, String session, int turn)
            throws InterruptedException {
        phone.decides(_ -> Map.of());
        phone.serverMayDie();
        var story = phone.story(session);
        int enough = story.chunks() + 1 + random.nextInt(5);
        boolean asks = turn % 3 == 0;
        var id = ask(phone, session, PROMPTS.get(turn % 3));
        // A text that was logged before the phone follows the session comes in one piece.
        phone.await(
                "the middle of a turn",
                () -> asks ? story.isAsked() : story.chunks() >= enough || story.turns() == turn);
        server.kill();
        phone.serverMayDie(); // what it confirmed in this turn may not have been stored
        phone.decides(DropTest::decision);
        var next = server.startAgain();
        phone.await("the end of turn " + turn, () -> phone.story(session).turns() == turn);
        phone.arrived(id);
        return next;
    }

    private static Map<String, String> gateway(int port) {
        return Map.of("ASH_GATEWAY", "1", "ASH_GATEWAY_PORT", Integer.toString(port));
    }
}
