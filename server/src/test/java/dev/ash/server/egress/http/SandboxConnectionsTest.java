package dev.ash.server.egress.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests closing of a sandbox's connections. */
class SandboxConnectionsTest {
    private final List<String> closed = new ArrayList<>();

    /** A host that is closed first could send a last response, which would reach the client. */
    @Test
    void closesEachClientBeforeTheHostThatServesIt() throws Exception {
        var expected = new ArrayList<String>();
        try (var deadlines = new TimedConnection.Deadlines(Duration.ofHours(1))) {
            var connections = new SandboxConnections();
            for (int i = 0; i < 20; i++) {
                connections.add(connection("client " + i, deadlines));
                connections.add(connection("host " + i, deadlines));
                expected.addAll(List.of("client " + i, "host " + i));
            }

            connections.close();

            assertThat(closed).isEqualTo(expected);
        }
    }

    @Test
    void closesConnectionsAddedAfterTheSandboxHasEnded() throws Exception {
        try (var deadlines = new TimedConnection.Deadlines(Duration.ofHours(1))) {
            var connections = new SandboxConnections();
            connections.close();

            assertThatIOException()
                    .isThrownBy(() -> connections.add(connection("late", deadlines)));

            assertThat(closed).containsExactly("late");
        }
    }

    private TimedConnection connection(String name, TimedConnection.Deadlines deadlines) {
        var socket =
                new Socket() {
                    @Override
                    public void close() {
                        closed.add(name);
                    }
                };
        return TimedConnection.of(
                socket, InputStream.nullInputStream(), OutputStream.nullOutputStream(), deadlines);
    }
}
