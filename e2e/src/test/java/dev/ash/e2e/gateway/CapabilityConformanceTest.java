package dev.ash.e2e.gateway;

import static dev.ash.e2e.gateway.ConnectionConformanceTest.auth;
import static dev.ash.e2e.gateway.ConnectionConformanceTest.connectionError;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.e2e.AshExtension;
import dev.ash.e2e.NeedsClaude;
import dev.ash.e2e.Script;
import dev.ash.e2e.gateway.DeviceClient.Pairing;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.JsonNode;

/** Tests extensions of the published protocol, for devices that declare the capability. */
@NeedsClaude
class CapabilityConformanceTest {
    /** A picture of one pixel. */
    private static final String DOT =
            "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";

    @RegisterExtension
    static final AshExtension ash = AshExtension.claude().gateway().sampleProject();

    private static String session(Phone phone) {
        return phone.start("claude-code", ash.project().directory());
    }

    @Test
    void replacesThePairingTokenByADeviceToken() {
        var phone = Phone.enter(ash.pair(), "device_token_v1");
        var own = phone.ack().path("device_token").asString("");
        assertThat(own).isNotBlank().isNotEqualTo(phone.pairing().token());
        phone.close();
        try (var client = DeviceClient.connect(phone.pairing())) {
            client.send("auth", "auth-1", auth(phone.pairing().token(), "1.0.0"));
            connectionError(client, "AUTH_FAILED");
        }
        var pairing = phone.pairing();
        var kept = new Pairing(pairing.id(), pairing.url(), own, pairing.fingerprint());
        try (var again = Phone.enter(kept, "device_token_v1")) {
            assertThat(again.ack().has("device_token")).isFalse();
        }
    }

    @Test
    void interruptsTheTurn() {
        try (var phone = Phone.enter(ash.pair(), "interrupt_v1")) {
            var session = session(phone);
            phone.say(session, "HOLD");
            phone.await("stream_chunk", session);
            var answer = phone.ask("interrupt", Map.of("session_id", session), "interrupted");
            assertThat(answer.path("interrupted").asBoolean()).isTrue();
            var end = phone.await("stream_end", session).path("payload");
            assertThat(end.path("finish_reason").asString()).isEqualTo("error");
            ash.model().release();
            assertThat(Phone.text(phone.turn(session, "SAY:next"))).isEqualTo("next");
        }
    }

    @Test
    void rejectsInterruptWithoutTheCapability() {
        try (var phone = Phone.enter(ash.pair())) {
            var error =
                    phone.assertError("interrupt", Map.of("session_id", "x"), "BRIDGE_ERROR", true);
            assertThat(error.path("message").asString()).contains("interrupt_v1");
        }
    }

    @Test
    void appliesAPermissionModeFromTheNextTurn() {
        try (var phone = Phone.enter(ash.pair(), "permission_mode_v1")) {
            var session = session(phone);
            var changed =
                    phone.ask(
                            "permission_mode",
                            Map.of("session_id", session, "mode", "bypassPermissions"),
                            "permission_mode_changed");
            assertThat(changed.path("session_id").asString()).isEqualTo(session);
            assertThat(changed.path("mode").asString()).isEqualTo("bypassPermissions");
            var frames = phone.turn(session, Script.bash("touch unasked.txt") + "\nSAY:unasked");
            assertThat(Phone.types(frames)).doesNotContain("approval_required");
            assertThat(ash.project().path().resolve("unasked.txt")).exists();
        }
    }

    @Test
    void rejectsAPermissionModeWithoutTheCapability() {
        try (var phone = Phone.enter(ash.pair())) {
            var request = Map.of("session_id", session(phone), "mode", "bypassPermissions");
            phone.assertError("permission_mode", request, "BRIDGE_ERROR", true);
        }
    }

    @Test
    void acceptsCapabilitiesInTheHealthCheck() {
        try (var phone = Phone.enter(ash.pair())) {
            var session = session(phone);
            phone.ask(
                    "health_check",
                    Map.of(
                            "timestamp",
                            Instant.now().toString(),
                            "client_capabilities",
                            List.of("health_v1", "interrupt_v1")),
                    "health_status");
            var answer = phone.ask("interrupt", Map.of("session_id", session), "interrupted");
            assertThat(answer.path("interrupted").asBoolean(true)).isFalse();
        }
    }

    @Test
    void readsHistoryByCursor() {
        try (var phone = Phone.enter(ash.pair(), "history_v1")) {
            var session = session(phone);
            phone.turn(session, "SAY:first plum");
            phone.turn(session, "SAY:second plum");
            var page = history(phone, session, 0, 2);
            assertThat(page.path("messages").size()).isEqualTo(2);
            assertThat(page.path("has_more").asBoolean()).isTrue();
            assertThat(page.at("/messages/0/role").asString()).isEqualTo("user");
            assertThat(page.at("/messages/0/timestamp").isMissingNode()).isFalse();
            var rest = history(phone, session, page.path("next_after").asLong(), 50);
            assertThat(rest.path("has_more").asBoolean(true)).isFalse();
            assertThat(page.toString()).contains("first plum").doesNotContain("second plum");
            assertThat(rest.toString()).contains("second plum");
        }
    }

    private static JsonNode history(Phone phone, String session, long after, int limit) {
        return phone.ask(
                "history_request",
                Map.of("session_id", session, "after", after, "limit", limit),
                "history_response");
    }

    @Test
    void sendsMessagesOfOthersOnlyToDevicesWithHistory() {
        try (var speaker = Phone.enter(ash.pair());
                var reader = Phone.enter(ash.pair(), "history_v1")) {
            var session = session(speaker);
            reader.ask("session_start", Phone.resuming(session), "session_ready");
            var frames = speaker.turn(session, "SAY:heard");
            var received = reader.await("message", session).path("payload");
            assertThat(received.path("content").asString()).isEqualTo("SAY:heard");
            assertThat(received.path("role").asString()).isEqualTo("user");
            assertThat(Phone.types(frames)).doesNotContain("message");
            speaker.assertError(
                    "history_request", Map.of("session_id", session), "BRIDGE_ERROR", true);
        }
    }

    @Test
    void sendsUsageOnlyToDevicesWithTheCapability() {
        try (var plain = Phone.enter(ash.pair());
                var counting = Phone.enter(ash.pair(), "usage_v1")) {
            var session = session(plain);
            counting.ask("session_start", Phone.resuming(session), "session_ready");
            plain.turn(session, "SAY:counted");
            var usage = counting.await("usage", session).path("payload");
            assertThat(usage.path("cost_usd").isNumber()).isTrue();
            assertThat(usage.path("input_tokens").isIntegralNumber()).isTrue();
            assertThat(usage.path("output_tokens").isIntegralNumber()).isTrue();
            assertThat(usage.path("duration_ms").isIntegralNumber()).isTrue();
            assertThat(Phone.types(plain.turn(session, "SAY:once more"))).doesNotContain("usage");
        }
    }

    @Test
    void sendsAttachmentsToTheModel() {
        try (var phone = Phone.enter(ash.pair(), "attachments_v1")) {
            var session = session(phone);
            phone.client().send("message", "m-1", withAttachment(session, "SAY:attached"));
            phone.awaitEnd(session);
            var turn =
                    ash.model().await(r -> r.isTurn() && r.everything().contains("SAY:attached"));
            assertThat(turn.everything()).contains("note.txt", "seven plums");
            assertThat(turn.body().path("messages").toString()).contains("\"type\":\"image\"");
        }
    }

    @Test
    void ignoresAttachmentsWithoutTheCapability() {
        try (var phone = Phone.enter(ash.pair())) {
            var session = session(phone);
            phone.client().send("message", "m-1", withAttachment(session, "SAY:detached"));
            phone.awaitEnd(session);
            assertThat(ash.model().awaitTurn("SAY:detached").everything())
                    .doesNotContain("seven plums");
        }
    }

    @Test
    void rejectsAttachmentsOfUnsupportedTypes() {
        try (var phone = Phone.enter(ash.pair(), "attachments_v1")) {
            var file = Map.of("name", "a.zip", "media_type", "application/zip", "data", "");
            var error =
                    phone.assertError(
                            "message",
                            Map.of(
                                    "session_id",
                                    session(phone),
                                    "content",
                                    "SAY:x",
                                    "attachments",
                                    List.of(file)),
                            "BRIDGE_ERROR",
                            true);
            assertThat(error.path("message").asString()).contains("application/zip");
        }
    }

    private static Map<String, Object> withAttachment(String session, String text) {
        var note = Base64.getEncoder().encodeToString("seven plums".getBytes(UTF_8));
        return Map.of(
                "session_id",
                session,
                "content",
                text,
                "attachments",
                List.of(
                        Map.of("name", "dot.png", "media_type", "image/png", "data", DOT),
                        Map.of("name", "note.txt", "media_type", "text/plain", "data", note)));
    }
}
