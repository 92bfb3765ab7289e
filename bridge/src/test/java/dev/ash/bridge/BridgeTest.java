package dev.ash.bridge;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BridgeTest {
    @TempDir private Path directory;
    private TestBridge bridge;

    @BeforeEach
    void open() throws IOException {
        bridge = TestBridge.open(directory);
    }

    @AfterEach
    void close() {
        bridge.close();
    }

    @Test
    void sendsReadyFirstWithItsIdentity() throws IOException {
        try (var client = RawClient.connect(bridge.socket())) {
            assertThat(client.next().line())
                    .isEqualTo(
                            "{\"ev\":\"ready\",\"sandboxId\":\"0f0e0d0c-0000-4000-8000-000000000001\","
                                    + "\"nonce\":\"nonce-1\",\"engine\":\"demo\"}");
        }
    }

    @Test
    void restrictsSocketPermissions() throws IOException {
        assertThat(Files.getPosixFilePermissions(bridge.socket()))
                .isEqualTo(PosixFilePermissions.fromString("rw-------"));
    }

    @Test
    void numbersEventsAndAddsTurnId() throws IOException {
        try (var client = bridge.client()) {
            client.query("demo: messages 3", ",\"turnId\":\"t1\"");
            client.query("demo: messages 2", ",\"turnId\":\"t2\"");

            var first = client.untilDone();
            var second = client.untilDone();

            assertThat(first).allSatisfy(event -> assertThat(event.text("turnId")).isEqualTo("t1"));
            assertThat(second)
                    .allSatisfy(event -> assertThat(event.text("turnId")).isEqualTo("t2"));
            assertThat(first)
                    .extracting(RawClient.Event::n)
                    .containsExactly(1L, 2L, 3L, 4L, 5L, 6L);
            assertThat(second).extracting(RawClient.Event::n).containsExactly(7L, 8L, 9L, 10L, 11L);
            assertThat(first.getLast().text("sessionId")).isEqualTo(TestBridge.SESSION);
        }
    }

    @Test
    void runsRetransmittedTurnOnce() throws IOException {
        try (var client = bridge.client()) {
            client.query("demo: messages 1", ",\"turnId\":\"same\"");
            client.untilDone();

            client.query("demo: messages 1", ",\"turnId\":\"same\"");
            client.query("demo: messages 1", ",\"turnId\":\"other\"");

            assertThat(client.untilDone())
                    .allSatisfy(event -> assertThat(event.text("turnId")).isEqualTo("other"));
        }
    }

    @Test
    void ignoresUnknownCommands() throws IOException {
        try (var client = bridge.client()) {
            client.send("{\"cmd\":\"dance\",\"tempo\":3}").query("demo: messages 1");

            assertThat(client.untilDone()).hasSize(4);
        }
    }

    @Test
    void closesConnectionAfterMalformedCommandAndAcceptsNext() throws IOException {
        for (var line :
                List.of(
                        "hello",
                        "{\"cmd\":7}",
                        "{\"cmd\":\"query\"}",
                        "[]",
                        "{\"cmd\":\"query\",\"prompt\":\"x\",\"sessionId\":\"s\",\"maxTurns\":9999999999}")) {
            try (var client = bridge.client()) {
                client.send(line);
                client.awaitEnd();
            }
        }
        try (var client = bridge.client()) {
            client.query("demo: messages 1");
            assertThat(client.untilDone()).hasSize(4);
        }
    }

    @Test
    void servesOnlyLatestConnection() throws IOException {
        try (var first = bridge.client();
                var second = bridge.client()) {
            first.awaitEnd();

            second.query("demo: messages 1");

            assertThat(second.untilDone()).hasSize(4);
        }
    }

    @Test
    void retainsEventsWithoutConnection() throws IOException {
        try (var client = bridge.client()) {
            client.query("demo: slow 3", ",\"turnId\":\"t1\"");
            client.nextOf("message");
        }

        try (var client = RawClient.connect(bridge.socket())) {
            assertThat(client.next().kind()).isEqualTo("ready");
            var rest = client.untilDone();

            assertThat(rest.getLast().n()).isEqualTo(4);
            assertThat(rest).extracting(RawClient.Event::n).isSorted();
        }
    }

    @Test
    void resendsUnacknowledgedEventsAfterAttach() throws IOException {
        try (var client = bridge.client()) {
            client.send("{\"cmd\":\"attach\",\"after\":0}");
            assertThat(client.next().line())
                    .isEqualTo("{\"ev\":\"attached\",\"state\":\"idle\",\"last\":0}");
            client.query("demo: slow 600", ",\"turnId\":\"t1\",\"includePartialMessages\":true");
            client.until(event -> event.n() == 4);
            client.send("{\"cmd\":\"ack\",\"n\":2}");
        }

        try (var client = bridge.client()) {
            client.send("{\"cmd\":\"attach\",\"after\":3}");
            assertThat(client.next().line())
                    .startsWith("{\"ev\":\"attached\",\"turnId\":\"t1\",\"state\":\"running\",");
            assertThat(client.next().n()).isEqualTo(4);
            client.query("again", ",\"turnId\":\"t1\"").send("{\"cmd\":\"interrupt\"}");
            var rest = client.untilDone();
            assertThat(rest)
                    .extracting(RawClient.Event::n)
                    .containsExactlyElementsOf(
                            LongStream.rangeClosed(5, rest.getLast().n()).boxed().toList());
        }
    }

    @Test
    void readsAcknowledgementsWhileOutboxIsFull() throws IOException {
        try (var client = bridge.client()) {
            client.send("{\"cmd\":\"attach\",\"after\":0}");
            client.query("demo: messages 40000", ",\"turnId\":\"flood\"");
            for (int i = 0; i < 120; i++) {
                client.query("demo: messages 1", ",\"turnId\":\"t" + i + "\"");
            }
            long last = 0;
            for (int done = 0; done < 121; ) {
                var event = client.next();
                last = Math.max(last, event.n());
                done += event.kind().equals("done") ? 1 : 0;
                if (event.n() % 1000 == 0 || event.kind().equals("done")) {
                    client.send("{\"cmd\":\"ack\",\"n\":" + last + "}");
                }
            }
            assertThat(last).isGreaterThan(40_000);
        }
    }

    @Test
    void interruptsOnlyNamedTurn() throws IOException {
        try (var client = bridge.client()) {
            client.query("demo: messages 1", ",\"turnId\":\"t1\"").untilDone();
            client.query("demo: slow 600", ",\"turnId\":\"t2\",\"includePartialMessages\":true");
            client.query("demo: slow 600", ",\"turnId\":\"t3\"");
            client.query("demo: messages 1", ",\"turnId\":\"t4\"");
            client.send("{\"cmd\":\"interrupt\",\"turnId\":\"t1\"}");
            client.send("{\"cmd\":\"interrupt\",\"turnId\":\"never\"}");
            client.send("{\"cmd\":\"interrupt\",\"turnId\":\"t3\"}");
            client.until(event -> event.data().contains("word-2 "));
            client.send("{\"cmd\":\"interrupt\",\"turnId\":\"t2\"}");

            assertThat(result(client)).isEqualTo("error_during_execution");
            assertThat(result(client)).isEqualTo("error_during_execution");
            assertThat(result(client)).isEqualTo("success");
        }
    }

    private static String result(RawClient client) {
        var turn = client.untilDone();
        return turn.get(turn.size() - 2).message().text("subtype");
    }

    @Test
    void usesEngineFromConfigure() throws IOException {
        try (var client = bridge.client()) {
            client.send(
                    "{\"cmd\":\"configure\",\"sessionId\":\"11111111-2222-4333-8444-555555555555\","
                            + "\"engine\":\"nothing\"}");
            client.query("hello", ",\"turnId\":\"t1\"");

            var events = client.untilDone();

            assertThat(events).extracting(RawClient.Event::kind).containsExactly("error", "done");
            assertThat(events.getFirst().text("error"))
                    .startsWith("unknown engine 'nothing'; expected claude, codex, ");
        }
    }

    @Test
    void exitsOnShutdownAndRemovesSocket() throws Exception {
        try (var client = bridge.client()) {
            client.send("{\"cmd\":\"shutdown\"}");
            bridge.awaitEnd();
        }
        bridge.close();
        assertThat(bridge.socket()).doesNotExist();
    }
}
