package dev.ash.server.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.protocol.SessionId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

class ConfirmationsTest {
    private static final SessionId A = SessionId.random();
    private static final SessionId B = SessionId.random();

    private final List<Runnable> pongs = new ArrayList<>();
    private final Map<SessionId, Long> confirmed = new HashMap<>();
    private final Confirmations confirmations =
            new Confirmations(
                    pongs::add,
                    (received, onWritten) -> {
                        confirmed.putAll(received);
                        onWritten.run();
                    });

    @Test
    void pongConfirmsOnlyEventsSentBeforeItsPing() {
        confirmations.sent(A, 1);
        confirmations.sent(A, 2);
        confirmations.sent(B, 7);

        pongs.getLast().run();
        assertThat(confirmed).containsExactly(Map.entry(A, 1L));
        pongs.getLast().run();
        assertThat(confirmed).containsOnly(Map.entry(A, 2L), Map.entry(B, 7L));
        assertThat(pongs).hasSize(2);
    }

    @Test
    void sendsNextPingAfterConfirmationIsWritten() {
        var writing = new ArrayList<Runnable>();
        var slow = new Confirmations(pongs::add, (_, onWritten) -> writing.add(onWritten));
        slow.sent(A, 1);
        slow.sent(A, 2);

        pongs.getFirst().run();
        assertThat(pongs).hasSize(1);
        assertThat(writing).hasSize(1);
        writing.getFirst().run();

        assertThat(pongs).hasSize(2);
    }

    @Test
    void sendsNoPingForUnloggedFrames() {
        confirmations.sent(A, 3);
        pongs.getLast().run();

        confirmations.sent(A, 3);

        assertThat(pongs).hasSize(1);
    }

    @Property(tries = 300)
    void confirmsOnlySentEventsAndFinallyAllOfThem(@ForAll long seed) {
        var random = new Random(seed);
        var outstanding = new ArrayList<Runnable>();
        var confirmedBySession = new HashMap<SessionId, Long>();
        var tested =
                new Confirmations(
                        outstanding::add,
                        (received, onWritten) -> {
                            confirmedBySession.putAll(received);
                            onWritten.run();
                        });
        var sent = new HashMap<SessionId, Long>();
        for (int i = 1; i <= 200; i++) {
            if (random.nextInt(3) > 0 || outstanding.isEmpty()) {
                var session = random.nextBoolean() ? A : B;
                sent.merge(session, 1L, Long::sum);
                tested.sent(session, sent.get(session));
            } else {
                outstanding.removeLast().run();
            }
            confirmedBySession.forEach(
                    (session, seq) -> assertThat(seq).isLessThanOrEqualTo(sent.get(session)));
        }
        while (!outstanding.isEmpty()) {
            outstanding.removeLast().run();
        }
        assertThat(confirmedBySession).isEqualTo(sent);
    }
}
