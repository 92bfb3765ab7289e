package dev.ash.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Tests interrupts of the real CLI: their latency, and that they never affect another turn. */
@NeedsClaude
class InterruptTest {
    private static final int SESSIONS = 2;
    private static final int RACES = 100;

    @RegisterExtension static final AshExtension ash = AshExtension.claude().agent("hello");

    @Test
    void interruptEndsTurnQuickly() {
        var claude = ash.session("hello");
        var demo = ash.session(Map.of("agent", "hello", "engine", "demo"));

        var claudeTimes = milliseconds(claude, "SLOW:100000 5");
        var demoTimes = milliseconds(demo, "demo: slow 100000");

        System.out.println("milliseconds from interrupt to done, real CLI: " + claudeTimes);
        System.out.println("milliseconds from interrupt to done, demo engine: " + demoTimes);
        // Compare the minimum: concurrent tests may delay the others.
        assertThat(demoTimes.getFirst()).isLessThan(250);
        assertThat(claudeTimes.getFirst()).isLessThan(1000);
        assertThat(Frame.said(claude.ask("SAY:on we go"))).isEqualTo("on we go");
    }

    private static List<Long> milliseconds(TestSession session, String prompt) {
        var all = new ArrayList<Long>();
        for (int i = 0; i < 9; i++) {
            try (var turn = session.send(prompt, Map.of("includePartialMessages", true))) {
                turn.next("text_delta");
                long start = System.nanoTime();
                assertThat(session.post("interrupt").expect(200).at("/interrupted").asBoolean())
                        .isTrue();
                turn.rest();
                all.add((System.nanoTime() - start) / 1_000_000);
            }
        }
        return all.stream().sorted().toList();
    }

    /**
     * Sends the interrupt at the start, at a message, with the result, or at the end of a turn; the
     * following turn must be complete.
     */
    @Test
    void interruptsAtEndOfTurnDoNotAffectNextTurn() {
        var hits = new AtomicInteger();
        var failures = new ConcurrentLinkedQueue<Throwable>();
        try (var all = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < SESSIONS; i++) {
                var session = ash.session("hello");
                session.ask("SAY:warm");
                all.execute(
                        () -> {
                            try {
                                for (int race = 0; race < RACES; race++) {
                                    hits.addAndGet(race(session, race) ? 1 : 0);
                                }
                            } catch (Throwable e) {
                                failures.add(e);
                            }
                        });
            }
        }
        System.out.println(
                "of %d interrupts at the end of a turn, %d reached the open turn"
                        .formatted(SESSIONS * RACES, hits.get()));
        assertThat(failures).isEmpty();
    }

    private static boolean race(TestSession session, int race) {
        boolean hit;
        try (var turn = session.send("SAY:raced " + race)) {
            var event = List.of("session_start", "message", "turn_complete", "done").get(race % 4);
            turn.next(event);
            var interrupt =
                    CompletableFuture.supplyAsync(
                            () -> session.post("interrupt").expect(200).at("/interrupted"));
            for (var frame = turn.next(); frame != null; frame = turn.next()) {
                assertThat(frame.event()).isNotEqualTo("error");
            }
            hit = interrupt.join().asBoolean();
        }
        var frames = session.ask("SAY:whole " + race);
        assertThat(Frame.said(frames)).isEqualTo("whole " + race);
        assertThat(Frame.names(frames)).doesNotContain("error");
        return hit;
    }
}
