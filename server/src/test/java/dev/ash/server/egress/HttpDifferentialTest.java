package dev.ash.server.egress;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.server.egress.http.BadMessageException;
import dev.ash.server.egress.http.Headers;
import dev.ash.server.egress.http.HttpReading;
import dev.ash.server.egress.http.JettyReader;
import dev.ash.server.egress.http.ProxyException;
import dev.ash.server.egress.http.RequestHead;
import dev.ash.server.egress.http.SmugglingCases;
import dev.ash.server.egress.policy.HostAndPort;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.eclipse.jetty.http.HttpCompliance;
import org.eclipse.jetty.http.HttpURI;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Compares the egress proxy's HTTP parsers with those of Jetty. The proxy may reject more messages.
 * A message that it accepts must have the same method, target, host, body and end for Jetty, in its
 * strict mode and in its lenient modes.
 */
class HttpDifferentialTest {
    private static final List<HttpCompliance> MODES =
            List.of(
                    HttpCompliance.RFC9110,
                    HttpCompliance.RFC7230_LEGACY,
                    HttpCompliance.RFC2616_LEGACY);

    /** More with {@code -Dash.fuzz.rounds=…}; another seed with {@code -Dash.fuzz.seed=…}. */
    private static final int ROUNDS = Integer.getInteger("ash.fuzz.rounds", 20_000);

    private static final long SEED = Long.getLong("ash.fuzz.seed", 12);

    /** A strong reference: the log manager has only a weak one. */
    private static final Logger JETTY = Logger.getLogger("org.eclipse.jetty.util.HostPort");

    @BeforeAll
    static void silenceJetty() {
        JETTY.setLevel(Level.OFF);
    }

    @AfterAll
    static void restoreJetty() {
        JETTY.setLevel(null);
    }

    @Test
    void parsesRequestsLikeJettyOrRejectsThem() {
        var accepted = compareAll(SmugglingCases.requests(), this::compareRequest);

        // Ensures that the comparison is meaningful.
        assertThat(accepted).hasSizeGreaterThan(100);
    }

    @Test
    void parsesResponsesLikeJettyOrRejectsThem() {
        for (var method : List.of("GET", "HEAD")) {
            var accepted =
                    compareAll(SmugglingCases.responses(), wire -> compareResponse(method, wire));

            assertThat(accepted).hasSizeGreaterThan(100);
        }
    }

    @Test
    void parsesMutatedRequestsLikeJettyOrRejectsThem() {
        fuzz(SmugglingCases.requests(), this::compareRequest);
    }

    @Test
    void parsesMutatedResponsesLikeJettyOrRejectsThem() {
        fuzz(SmugglingCases.responses(), wire -> compareResponse("GET", wire));
    }

    @Test
    void parsesAbsoluteTargetsLikeJettyOrRejectsThem() throws BadMessageException {
        int routed = 0;
        var random = new Random(SEED);
        for (int i = 0; i < ROUNDS; i++) {
            var line = random(SmugglingCases.REQUEST_LINES, random).split(" ", -1);
            var target = i < 1000 ? line[1] : mutate(line[1], random);
            var head = new RequestHead(line[0], target, true, new Headers(List.of()));
            HostAndPort proxyResult;
            try {
                proxyResult =
                        switch (RequestTarget.of(head)) {
                            case RequestTarget.Plain(var host, _) -> host;
                            case RequestTarget.Tunnel(var host) -> host;
                            case RequestTarget.Model _, RequestTarget.Tools _ -> null;
                        };
            } catch (ProxyException e) {
                continue;
            }
            if (proxyResult == null || HttpReading.hasBadTarget(target)) {
                continue;
            }
            routed++;
            HttpURI jettyResult;
            try {
                jettyResult = HttpURI.from(line[0], target);
            } catch (IllegalArgumentException e) {
                continue; // Jetty rejects the path, which the proxy forwards unchanged
            }
            int port = jettyResult.getPort() > 0 ? jettyResult.getPort() : 80;
            assertThat(HostAndPort.parse(jettyResult.getHost() + ":" + port, 0))
                    .as(target)
                    .isEqualTo(proxyResult);
        }
        assertThat(routed).isGreaterThan(100);
    }

    private static List<String> compareAll(
            List<String> messages, Function<byte[], Boolean> compare) {
        var accepted = new ArrayList<String>();
        for (var message : messages) {
            if (compare.apply(HttpReading.bytes(message))) {
                accepted.add(message);
            }
        }
        return accepted;
    }

    private static void fuzz(List<String> corpus, Function<byte[], Boolean> compare) {
        var random = new Random(SEED);
        int accepted = 0;
        for (int i = 0; i < ROUNDS; i++) {
            var message = random(corpus, random);
            for (int changes = random.nextInt(3); changes >= 0; changes--) {
                message = mutate(message, random);
            }
            accepted += compare.apply(HttpReading.bytes(message)) ? 1 : 0;
        }
        assertThat(accepted).as("accepted of " + ROUNDS).isGreaterThan(ROUNDS / 100);
    }

    private boolean compareRequest(byte[] wire) {
        return compare(wire, HttpReading.request(wire), JettyReader::request);
    }

    private boolean compareResponse(String method, byte[] wire) {
        return compare(
                wire,
                HttpReading.response(method, wire),
                (bytes, mode) -> JettyReader.response(method, bytes, mode));
    }

    /**
     * Returns whether both accept the message. Jetty may reject it too: it is stricter about values
     * that do not affect framing, such as the reason phrase.
     */
    private static boolean compare(
            byte[] wire,
            HttpReading proxyResult,
            BiFunction<byte[], HttpCompliance, HttpReading> reference) {
        if (!(proxyResult instanceof HttpReading.Accepted)) {
            return false;
        }
        for (var mode : MODES) {
            var jettyResult = reference.apply(wire, mode);
            if (!(jettyResult instanceof HttpReading.Rejected)) {
                assertThat(jettyResult)
                        .as(() -> mode.getName() + " on " + printable(wire))
                        .isEqualTo(proxyResult);
            } else if (mode == HttpCompliance.RFC2616_LEGACY) {
                return false;
            }
        }
        return true;
    }

    private static String printable(byte[] wire) {
        return new String(wire, StandardCharsets.ISO_8859_1)
                .replace("\r", "\\r")
                .replace("\n", "\\n");
    }

    /** Applies one random change. */
    private static String mutate(String text, Random random) {
        int at = random.nextInt(text.length() + 1);
        int end = Math.min(text.length(), at + random.nextInt(8));
        return switch (random.nextInt(4)) {
            case 0 -> text.substring(0, at) + random(PIECES, random) + text.substring(at);
            case 1 -> text.substring(0, at) + text.substring(end);
            case 2 -> text.substring(0, end) + text.substring(at);
            default -> text.substring(0, at) + (char) random.nextInt(256) + text.substring(end);
        };
    }

    private static final List<String> PIECES =
            List.of(
                    "\r\n",
                    "\n",
                    "\r",
                    "\0",
                    " ",
                    "\t",
                    ":",
                    ",",
                    ";",
                    "\"",
                    "\\",
                    "0",
                    "5",
                    "-",
                    "+",
                    "0x",
                    "@",
                    "#",
                    "/",
                    "?",
                    "%",
                    "[",
                    "]",
                    "\u000b",
                    "\u0085",
                    "\u00a0",
                    "chunked",
                    "Content-Length: 5\r\n",
                    "Transfer-Encoding: chunked\r\n",
                    "Host: b\r\n",
                    "\r\n\r\n",
                    "HTTP/1.1",
                    "http://",
                    "0\r\n\r\n");

    private static <T> T random(List<T> list, Random random) {
        return list.get(random.nextInt(list.size()));
    }
}
