package dev.ash.server.egress;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.server.egress.http.TestUpstream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Tests hosts that respond before they have read a large request. A client that sends the whole
 * request first must receive the whole response, and its connection must stay usable. {@code
 * -Dash.egress.rounds=200} runs more rounds.
 */
@Timeout(300)
class EarlyResponseTest {
    private static final int ROUNDS = Integer.getInteger("ash.egress.rounds", 5);
    private static final int CHUNK = 50_000;
    private static final String BODY = "{\"system\":\"" + "x".repeat(2 * 1024 * 1024) + "\"}";
    private static final String TEXT = "0123456789".repeat(5_000);

    private enum EarlyResponse {
        ERROR(
                404,
                "HTTP/1.1 404 Not Found\r\nContent-Length: %d\r\n\r\n%s"
                        .formatted(TEXT.length(), TEXT)),
        STREAM(
                200,
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                        + "%x\r\n%s\r\n".formatted(TEXT.length(), TEXT)
                        + "0\r\n\r\n");

        private final int status;
        private final String bytes;

        EarlyResponse(int status, String bytes) {
            this.status = status;
            this.bytes = bytes;
        }
    }

    @ParameterizedTest
    @CsvSource({
        "model,ERROR,false",
        "model,ERROR,true",
        "model,STREAM,false",
        "model,STREAM,true",
        "plain,ERROR,false",
        "plain,ERROR,true",
        "plain,STREAM,false",
        "plain,STREAM,true"
    })
    void forwardsEarlyResponseToClientThatSendsFirst(
            String route, EarlyResponse response, boolean chunked) throws IOException {
        var received = new Semaphore(0);
        try (var upstream =
                        TestUpstream.start(
                                (_, _, out) -> {
                                    TestUpstream.write(out, response.bytes);
                                    // Closing with unread bytes would discard the response.
                                    received.acquireUninterruptibly();
                                });
                var proxy = proxy(route, upstream);
                var client = proxy.connect()) {
            var request = request(head(route, proxy, upstream), chunked);
            for (int i = 0; i < ROUNDS; i++) {
                client.send(request);

                var clientResponse = client.response();

                received.release();
                assertThat(clientResponse.status()).isEqualTo(response.status);
                assertThat(clientResponse.body()).isEqualTo(TEXT);
            }
            assertThat(upstream.requests()).hasSize(ROUNDS);
        }
    }

    private static TestProxy proxy(String route, TestUpstream upstream) throws IOException {
        return route.equals("model")
                ? TestProxy.forModel(upstream)
                : TestProxy.allowing("localhost:" + upstream.port());
    }

    private static String head(String route, TestProxy proxy, TestUpstream upstream) {
        return route.equals("model")
                ? "POST /v1/messages HTTP/1.1\r\nHost: model.ash.internal\r\nx-api-key: %s\r\n"
                        .formatted(proxy.placeholder())
                : "POST http://localhost:%d/ HTTP/1.1\r\nHost: x\r\n".formatted(upstream.port());
    }

    private static byte[] request(String head, boolean chunked) {
        var bytes = new ByteArrayOutputStream();
        if (chunked) {
            add(bytes, head + "Transfer-Encoding: chunked\r\n\r\n");
            for (int from = 0; from < BODY.length(); from += CHUNK) {
                var chunk = BODY.substring(from, Math.min(BODY.length(), from + CHUNK));
                add(bytes, "%x\r\n%s\r\n".formatted(chunk.length(), chunk));
            }
            add(bytes, "0\r\n\r\n");
        } else {
            add(bytes, head + "Content-Length: " + BODY.length() + "\r\n\r\n" + BODY);
        }
        return bytes.toByteArray();
    }

    private static void add(ByteArrayOutputStream bytes, String text) {
        bytes.writeBytes(text.getBytes(StandardCharsets.ISO_8859_1));
    }
}
