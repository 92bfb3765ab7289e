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
 * Drops connections at random points of streams and approvals, and kills servers: the device must
 * receive each logged event once and in order. {@code -Dash.drops=500} runs the long form, {@code
 * -Dash.drops.seed} repeats a random run.
 */
class ConnectionDropTest {
    private static final int DROPS = Integer.getInteger("ash.drops", 20);
    private static final int KILLS = Math.max(3, DROPS / 50);
    private static final long SEED = Long.getLong("ash.drops.seed", System.nanoTime());
    private static final int TURNS_PER_SESSION = 10;
    private static final List<String> PROMPTS =
            List.of("demo: run echo it was asked", "demo: slow 12", "demo: messages 900");

    private final Random random = new Random(SEED);
    private int prompts;

    @Test
    @Timeout(value = 30, unit = TimeUnit.MINUTES) // for the long form
    void deliversEachEventOnceAcrossDrops() {
        try (var server = AshServer.start(gateway(0))) {
            var drops = new RandomDrops(random, DROPS);
            int turns = 0;
            int repeats = 0;
            try (var phone = new DroppingPhone(DeviceClient.pair(server), drops);
                    var steady =
                            new DroppingPhone(
                                    DeviceClient.pair(server), DroppingPhone.Drops.NEVER)) {
                phone.setDecision(ConnectionDropTest::decision);
                while (drops.left() > 0) {
                    var session = phone.start(Map.of("agent", "demo", "resume", false));
                    steady.start(Map.of("session_id", session, "resume", true));
                    drops.begin();
                    int sessionTurns = 0;
                    while (sessionTurns < TURNS_PER_SESSION && drops.left() > 0) {
                        turn(phone, session, ++sessionTurns);
                    }
                    drops.pause();
                    turns += sessionTurns;
                    int all = sessionTurns;
                    steady.await("end of all turns", () -> steady.events(session).turns() == all);
                    var expected = ExpectedEvents.of(server, session);
                    assertThat(expected.turns()).isEqualTo(sessionTurns);
                    phone.events(session).assertMatches(expected);
                    steady.events(session).assertMatches(expected);
                    steady.events(session).assertHasNoRepeats();
                    repeats += phone.events(session).repeats();
                }
                phone.assertNoFaults();
                steady.assertNoFaults();
            } catch (AssertionError e) {
                throw new AssertionError("with seed " + SEED + " after " + drops, e);
            }
            System.out.printf(
                    "drops %s, %d turns, %d repeats, seed %d%n", drops, turns, repeats, SEED);
        }
    }

    /** Runs a whole turn across any number of drops. */
    private void turn(DroppingPhone phone, String session, int number) {
        var id = ask(phone, session);
        phone.await("end of turn " + number, () -> phone.events(session).turns() == number);
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

    /** Returns a decision that depends only on the call. */
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
    void deliversEachEventOnceAcrossServerKills() throws Exception {
        var server = AshServer.start(gateway(FreePort.find()));
        int repeats = 0;
        try (var phone = new DroppingPhone(DeviceClient.pair(server), DroppingPhone.Drops.NEVER)) {
            var session = phone.start(Map.of("agent", "demo", "resume", false));
            for (int turn = 1; turn <= KILLS; turn++) {
                server = killDuringTurn(server, phone, session, turn);
            }
            phone.assertNoFaults();
            var expected = ExpectedEvents.of(server, session);
            assertThat(expected.turns()).isEqualTo(KILLS);
            phone.events(session).assertMatches(expected);
            repeats = phone.events(session).repeats();
        } catch (AssertionError e) {
            throw new AssertionError("with seed " + SEED, e);
        } finally {
            server.close();
        }
        System.out.printf("%d kills, %d repeats, seed %d%n", KILLS, repeats, SEED);
    }

    /**
     * Kills the server during a stream or an open question, which the device answers on the next
     * server.
     */
    private AshServer killDuringTurn(
            AshServer server, DroppingPhone phone, String session, int turn)
            throws InterruptedException {
        phone.setDecision(_ -> Map.of());
        phone.expectServerKill();
        var events = phone.events(session);
        int enough = events.chunks() + 1 + random.nextInt(5);
        boolean asks = turn % 3 == 0;
        var id = ask(phone, session, PROMPTS.get(turn % 3));
        // A text that was logged before the device joined is sent as one chunk.
        phone.await(
                "middle of a turn",
                () ->
                        asks
                                ? events.hasOpenQuestion()
                                : events.chunks() >= enough || events.turns() == turn);
        server.kill();
        phone.expectServerKill(); // confirmations of this turn may not have been stored
        phone.setDecision(ConnectionDropTest::decision);
        var next = server.startAgain();
        phone.await("end of turn " + turn, () -> phone.events(session).turns() == turn);
        phone.arrived(id);
        return next;
    }

    private static Map<String, String> gateway(int port) {
        return Map.of("ASH_GATEWAY", "1", "ASH_GATEWAY_PORT", Integer.toString(port));
    }
}
