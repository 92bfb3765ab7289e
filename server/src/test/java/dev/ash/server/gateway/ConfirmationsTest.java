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

    private final List<Long> pings = new ArrayList<>();
    private final Map<SessionId, Long> confirmed = new HashMap<>();
    private final Confirmations confirmations =
            new Confirmations(
                    pings::add,
                    (received, onWritten) -> {
                        confirmed.putAll(received);
                        onWritten.run();
                    });

    @Test
    void pongConfirmsOnlyEventsSentBeforeItsPing() {
        confirmations.sent(A, 1);
        confirmations.sent(A, 2);
        confirmations.sent(B, 7);

        confirmations.pong(pings.getLast());
        assertThat(confirmed).containsExactly(Map.entry(A, 1L));
        confirmations.pong(pings.getLast());
        assertThat(confirmed).containsOnly(Map.entry(A, 2L), Map.entry(B, 7L));
        assertThat(pings).hasSize(2);
    }

    @Test
    void sendsNextPingAfterConfirmationIsWritten() {
        var writing = new ArrayList<Runnable>();
        var slow = new Confirmations(pings::add, (_, onWritten) -> writing.add(onWritten));
        slow.sent(A, 1);
        slow.sent(A, 2);

        slow.pong(pings.getFirst());
        slow.pong(pings.getFirst());
        assertThat(pings).hasSize(1);
        assertThat(writing).hasSize(1);
        writing.getFirst().run();

        assertThat(pings).hasSize(2);
    }

    @Test
    void sendsNoPingForUnloggedFrames() {
        confirmations.sent(A, 3);
        confirmations.pong(pings.getLast());

        confirmations.sent(A, 3);

        assertThat(pings).hasSize(1);
    }

    @Test
    void ignoresUnsolicitedPongs() {
        confirmations.sent(A, 1);

        confirmations.pong(99);
        assertThat(confirmed).isEmpty();
        confirmations.pong(pings.getLast());
        confirmations.pong(pings.getLast());

        assertThat(confirmed).containsExactly(Map.entry(A, 1L));
        assertThat(pings).hasSize(1);
    }

    @Property(tries = 300)
    void confirmsOnlySentEventsAndFinallyAllOfThem(@ForAll long seed) {
        var random = new Random(seed);
        var outstanding = new ArrayList<Long>();
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
                tested.pong(outstanding.removeLast());
            }
            confirmedBySession.forEach(
                    (session, seq) -> assertThat(seq).isLessThanOrEqualTo(sent.get(session)));
        }
        while (!outstanding.isEmpty()) {
            tested.pong(outstanding.removeLast());
        }
        assertThat(confirmedBySession).isEqualTo(sent);
    }
}
