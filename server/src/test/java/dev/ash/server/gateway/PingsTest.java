package dev.ash.server.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

class PingsTest {
    private final List<Long> sent = new ArrayList<>();
    private final List<String> confirmed = new ArrayList<>();
    private final Pings pings = new Pings(sent::add);

    private void send(String name) {
        pings.send(() -> confirmed.add(name));
    }

    @Test
    void pongConfirmsAllEarlierPings() {
        send("a");
        send("b");
        send("c");

        pings.pong(sent.get(1));

        assertThat(confirmed).containsExactly("a", "b");
    }

    @Test
    void ignoresUnsolicitedAndRepeatedPongs() {
        pings.pong(0);
        pings.pong(Long.MIN_VALUE);
        send("a");
        pings.pong(sent.getLast() + 1);
        pings.pong(Long.MAX_VALUE);
        assertThat(confirmed).isEmpty();
        pings.pong(sent.getLast());
        pings.pong(sent.getLast());

        assertThat(confirmed).containsExactly("a");
    }

    @Test
    void sendsPingsWhileConfirmingOthers() {
        pings.send(() -> send("b"));

        pings.pong(sent.getFirst());
        assertThat(confirmed).isEmpty();
        pings.pong(sent.getLast());

        assertThat(confirmed).containsExactly("b");
    }

    @Property(tries = 200)
    void confirmsEachPingOnceAndInOrder(@ForAll long seed) {
        var random = new Random(seed);
        var numbers = new ArrayList<Long>();
        var order = new ArrayList<Integer>();
        var tested = new Pings(numbers::add);
        for (int i = 0; i < 100; i++) {
            int name = i;
            tested.send(() -> order.add(name));
            if (random.nextInt(3) == 0) {
                int last = random.nextInt(numbers.size());
                int before = order.size();
                tested.pong(numbers.get(last));
                assertThat(order).hasSize(Math.max(before, last + 1));
            }
        }
        tested.pong(numbers.getLast());
        assertThat(order).hasSize(100).isSorted().doesNotHaveDuplicates();
    }
}
