package dev.ash.e2e;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * What Ash itself costs between a prompt and the first message. A time, so it is measured on a
 * quiet machine when somebody asks ({@code -Dash.measure=true}) and not with every build.
 */
@EnabledIfSystemProperty(
        named = "ash.measure",
        matches = "true",
        disabledReason = "a time, only measured on request: -Dash.measure=true")
class LatencyTest {
    private static final int WARM_UP = 700;
    private static final int SAMPLES = 500;

    @Test
    void theFirstMessageComesWithinThreeMillisecondsBeyondTheEnginesOwnTime() throws IOException {
        try (var server =
                AshServer.startBare(Resources.SEED_BRIDGE, TestFolder.create(), List.of())) {
            server.deploy("echo", Resources.agentWithBridge("seed_bridge.py"));
            var session = server.session("echo");
            var overhead = new ArrayList<Double>();
            try (var client = new Client(server.api(), session.path() + "/messages")) {
                for (int i = 0; i < WARM_UP; i++) {
                    client.millisecondsToFirstMessage();
                }
                for (int i = 0; i < SAMPLES; i++) {
                    overhead.add(client.millisecondsToFirstMessage());
                }
            }

            System.out.printf(
                    "milliseconds from prompt to first message: p50 %.2f, p95 %.2f%n",
                    percentile(overhead, 50), percentile(overhead, 95));
            assertThat(percentile(overhead, 50)).isLessThanOrEqualTo(3.0);
        }
    }

    private static double percentile(List<Double> values, int percent) {
        return values.stream().sorted().toList().get(values.size() * percent / 100);
    }

    /** One kept connection and a bare socket: a client's own time must not count as Ash's. */
    private static final class Client implements AutoCloseable {
        private static final Pattern ENGINE_TIME = Pattern.compile("\"engineNanos\": ?(\\d+)");

        private final Socket socket;
        private final InputStream in;
        private final byte[] request;

        Client(Api api, String path) throws IOException {
            var address = URI.create(api.base());
            socket = new Socket(address.getHost(), address.getPort());
            socket.setTcpNoDelay(true);
            in = new BufferedInputStream(socket.getInputStream());
            var body = "{\"content\":\"hello\"}";
            request =
                    "POST %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s"
                            .formatted(path, address.getAuthority(), api.key(), body.length(), body)
                            .getBytes(UTF_8);
        }

        double millisecondsToFirstMessage() throws IOException {
            var start = System.nanoTime();
            socket.getOutputStream().write(request);
            skipTo("event: message");
            var took = System.nanoTime() - start;
            var engine = ENGINE_TIME.matcher(skipTo("0\r\n\r\n")); // the last chunk
            assertThat(engine.find()).isTrue();
            return (took - Long.parseLong(engine.group(1))) / 1e6;
        }

        private String skipTo(String end) throws IOException {
            var read = new StringBuilder();
            while (read.indexOf(end, read.length() - end.length()) < 0) {
                int b = in.read();
                assertThat(b).as("the end of the connection").isNotNegative();
                read.append((char) b);
            }
            return read.toString();
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }
}
