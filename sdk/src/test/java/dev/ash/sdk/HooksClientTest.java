package dev.ash.sdk;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.protocol.rest.AshStreamEvent;
import dev.ash.protocol.rest.HookApi;
import dev.ash.protocol.rest.MailboxApi;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests for the clients of hooks, mailboxes, metrics and idle streams. */
class HooksClientTest {
    @Test
    void readsTerminalSessionsAndTheirEvents() throws IOException {
        try (var server = new FakeServer()) {
            server.on(
                    "GET /api/hooks/sessions",
                    "{\"sessions\":[{\"id\":\"s\",\"directory\":\"/p\",\"title\":\"t\",\"status\":\"active\",\"createdAt\":\"c\",\"lastSeenAt\":\"l\",\"later\":1}]}");
            server.on("GET /api/hooks/sessions/s%2F1/events", "{\"events\":[]}");
            var hooks = server.client().hooks();

            assertThat(hooks.sessions())
                    .containsExactly(
                            new HookApi.TerminalSession("s", "/p", "t", "active", "c", "l"));
            assertThat(hooks.events("s/1", 7)).isEmpty();
            assertThat(server.lines())
                    .containsExactly(
                            "GET /api/hooks/sessions",
                            "GET /api/hooks/sessions/s%2F1/events?after=7");
        }
    }

    @Test
    void opensMailboxes() throws IOException {
        try (var server = new FakeServer()) {
            server.on(
                    "POST /api/mailboxes",
                    201,
                    "{\"mailbox\":{\"repoId\":\"r\",\"run\":\"1\",\"folder\":\"/f\",\"peers\":[{\"name\":\"claude\",\"role\":\"peer\",\"url\":\"u\",\"token\":\"t\"}]}}");
            var request =
                    new MailboxApi.OpenMailbox(
                            "/repo", null, List.of(new MailboxApi.Peer("claude", null)));

            var mailbox = server.client().mailboxes().open(request);

            assertThat(mailbox.peers())
                    .containsExactly(new MailboxApi.PeerConnection("claude", "peer", "u", "t"));
            assertThat(server.lines())
                    .containsExactly(
                            "POST /api/mailboxes {\"repository\":\"/repo\",\"peers\":[{\"name\":\"claude\"}]}");
        }
    }

    @Test
    void readsMetricsAsText() throws IOException {
        try (var server = new FakeServer()) {
            server.on(
                    "GET /metrics",
                    (_, out) -> FakeServer.write(out, "HTTP/1.1 200 OK\r\n\r\nash_up 1\n"));

            assertThat(server.client().metrics()).isEqualTo("ash_up 1\n");
        }
    }

    @Test
    void streamsUntilIdle() throws IOException {
        try (var server = new FakeServer()) {
            server.streams(
                    "GET /api/sessions/s/stream",
                    "event: done\ndata: {\"sessionId\":\"s\"}\nid: 9");

            try (var stream = server.client().sessions().streamUntilIdle("s", 4)) {
                assertThat(stream).containsExactly(new AshStreamEvent.Done("s", 9));
            }
            assertThat(server.lines())
                    .containsExactly("GET /api/sessions/s/stream?after=4&until=idle");
        }
    }
}
