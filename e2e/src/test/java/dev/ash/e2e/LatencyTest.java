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
 * Measures the overhead of Ash between a prompt and the first message. It depends on the machine's
 * load, so it runs only on request ({@code -Dash.measure=true}), on an otherwise idle machine.
 */
@EnabledIfSystemProperty(
        named = "ash.measure",
        matches = "true",
        disabledReason = "measurement, runs only with -Dash.measure=true")
class LatencyTest {
    private static final int WARM_UP = 700;
    private static final int SAMPLES = 500;

    @Test
    void addsAtMostThreeMillisecondsBeforeFirstMessage() throws IOException {
        try (var server =
                AshServer.startBare(Resources.SEED_BRIDGE, TestDirectory.create(), List.of())) {
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

    /** Minimal client on one persistent connection, so that client overhead is not counted. */
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
            var elapsed = System.nanoTime() - start;
            var engine = ENGINE_TIME.matcher(skipTo("0\r\n\r\n")); // the last chunk
            assertThat(engine.find()).isTrue();
            return (elapsed - Long.parseLong(engine.group(1))) / 1e6;
        }

        private String skipTo(String end) throws IOException {
            var read = new StringBuilder();
            while (read.indexOf(end, read.length() - end.length()) < 0) {
                int b = in.read();
                assertThat(b).as("connection closed by the server").isNotNegative();
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
