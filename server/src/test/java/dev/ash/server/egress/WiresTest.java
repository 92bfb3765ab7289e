package dev.ash.server.egress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class WiresTest {
    private final List<String> closed = new ArrayList<>();

    /**
     * A host whose connection ends first may send a last word, which the client would still receive
     * instead of a plain end.
     */
    @Test
    void closesEachClientBeforeTheHostThatServesIt() throws Exception {
        var expected = new ArrayList<String>();
        try (var deadlines = new Deadlines(Duration.ofHours(1))) {
            var wires = new Wires();
            for (int i = 0; i < 20; i++) {
                wires.add(wire("client " + i, deadlines));
                wires.add(wire("host " + i, deadlines));
                expected.addAll(List.of("client " + i, "host " + i));
            }

            wires.close();

            assertThat(closed).isEqualTo(expected);
        }
    }

    @Test
    void closesWhatIsAddedAfterTheSandboxHasEnded() throws Exception {
        try (var deadlines = new Deadlines(Duration.ofHours(1))) {
            var wires = new Wires();
            wires.close();

            assertThatIOException().isThrownBy(() -> wires.add(wire("late", deadlines)));

            assertThat(closed).containsExactly("late");
        }
    }

    private Wire wire(String name, Deadlines deadlines) {
        var socket =
                new Socket() {
                    @Override
                    public void close() {
                        closed.add(name);
                    }
                };
        return Wire.of(
                socket, InputStream.nullInputStream(), OutputStream.nullOutputStream(), deadlines);
    }
}
