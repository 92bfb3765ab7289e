package dev.ash.server.egress;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.server.egress.http.HttpReading;
import dev.ash.server.egress.http.JettyReader;
import dev.ash.server.egress.http.SmugglingCases;
import dev.ash.server.egress.http.TestUpstream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.regex.Pattern;
import org.eclipse.jetty.http.HttpCompliance;
import org.junit.jupiter.api.Test;

/** Sends ambiguous requests through a proxy and checks every byte that the upstream host gets. */
class ForwardedFramingTest {
    private static final Pattern HOST = Pattern.compile("(?i)\r\nhost *:");
    private static final Pattern FRAMING =
            Pattern.compile("(?i)\r\n[^:\r]*(content-length|transfer-encoding)");
    private static final Pattern LONE = Pattern.compile("(?<!\r)\n|\r(?!\n)|\r\n[ \t]|\0");

    /** Serves one connection at a time, until a complete request or the end of the connection. */
    private static final class RawUpstream implements AutoCloseable {
        private final ServerSocket server =
                new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        private final Queue<String> requests = new ConcurrentLinkedQueue<>();

        private RawUpstream() throws IOException {
            Thread.ofVirtual().start(this::serve);
        }

        private void serve() {
            while (!server.isClosed()) {
                try (var socket = server.accept()) {
                    var wire = new ByteArrayOutputStream();
                    var piece = new byte[4096];
                    for (int n = socket.getInputStream().read(piece);
                            n >= 0;
                            n = socket.getInputStream().read(piece)) {
                        wire.write(piece, 0, n);
                        if (read(wire.toByteArray()) instanceof HttpReading.Accepted) {
                            requests.add(HttpReading.text(wire.toByteArray()));
                            TestUpstream.respond(socket.getOutputStream(), "ok");
                            break;
                        }
                    }
                } catch (IOException e) {
                    // The proxy closed the connection because of a truncated body.
                }
            }
        }

        @Override
        public void close() throws IOException {
            server.close();
        }
    }

    private static HttpReading read(byte[] wire) {
        return JettyReader.request(wire, HttpCompliance.RFC9110);
    }

    @Test
    void forwardsOneHostOneLengthAndNoFoldedLines() throws IOException {
        try (var upstream = new RawUpstream();
                var proxy = TestProxy.allowing("127.0.0.1:" + upstream.server.getLocalPort())) {
            var authority = "127.0.0.1:" + upstream.server.getLocalPort();
            var violations = new ArrayList<String>();
            int forwarded = 0;
            for (var request : requests(authority)) {
                int status = status(proxy, request);
                var received = upstream.requests.poll();
                forwarded += received == null ? 0 : 1;
                if ((status == 200) != (received != null)
                        || (received != null && !isUnambiguous(received, authority))) {
                    violations.add(request + " -> " + status + " -> " + received);
                }
            }

            assertThat(violations).isEmpty();
            assertThat(forwarded).as("forwarded").isGreaterThan(10);
        }
    }

    private static List<String> requests(String authority) {
        var all = new ArrayList<String>();
        var first = "POST http://" + authority + "/x HTTP/1.1\r\n";
        for (var framing : SmugglingCases.FRAMINGS) {
            for (var body : List.of("hello", "5;a=b\r\nhello\r\n0\r\nContent-Length: 9\r\n\r\n")) {
                all.add(first + "Host: other.example\r\n" + framing + "\r\n" + body);
            }
        }
        for (var host : SmugglingCases.HOSTS) {
            all.add(first + host + "Connection: Host\r\nContent-Length: 5\r\n\r\nhello");
        }
        return all;
    }

    private static int status(TestProxy proxy, String request) throws IOException {
        try (var client = proxy.connect()) {
            client.send(request);
            client.channel.shutdownOutput();
            return client.response().status();
        } catch (IOException e) {
            return 0; // no response to a truncated body
        }
    }

    private static boolean isUnambiguous(String wire, String authority) {
        var head = wire.substring(0, wire.indexOf("\r\n\r\n"));
        return read(HttpReading.bytes(wire)) instanceof HttpReading.Accepted accepted
                && accepted.line().equals("POST /x")
                && accepted.host().equals(authority)
                && (accepted.body().isEmpty() || accepted.body().length() == 5)
                && accepted.rest().isEmpty()
                && HOST.matcher(head).results().count() == 1
                && FRAMING.matcher(head).results().count() == (accepted.body().isEmpty() ? 0 : 1)
                && !LONE.matcher(head).find();
    }
}
