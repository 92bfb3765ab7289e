package dev.ash.e2e.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.ash.e2e.AshExtension;
import dev.ash.e2e.NeedsClaude;
import dev.ash.e2e.Script;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.JsonNode;

/** Tests notifications about sessions that a device does not follow. */
@NeedsClaude
class NotificationConformanceTest {
    @RegisterExtension
    static final AshExtension ash = AshExtension.claude().gateway().sampleProject();

    private static Phone phone;

    @BeforeAll
    static void start() {
        phone = Phone.enter(ash.pair());
    }

    @AfterAll
    static void stop() {
        phone.close();
    }

    /** Starts a session and returns its pending approval. */
    private static JsonNode asking() {
        var session = phone.start("claude-code", ash.project().directory());
        phone.say(session, Script.bash("touch notified.txt") + "\nSAY:notified");
        return phone.await("approval_required", session);
    }

    private static void finish(JsonNode asked) {
        phone.decide(asked, "rejected", Map.of());
        phone.awaitEnd(asked.at("/payload/session_id").asString());
    }

    /** Returns all frames before the answer to a request sent after authentication. */
    private static List<JsonNode> replayed(Phone device) {
        var frames = device.until(after(device));
        return Phone.only("notification", frames);
    }

    private static java.util.function.Predicate<JsonNode> after(Phone device) {
        device.client().send("health_check", "mark", Map.of("timestamp", Instant.now().toString()));
        return frame -> frame.path("id").asString("").equals("mark");
    }

    @TestFactory
    Stream<DynamicTest> notifiesDevicesThatDoNotFollowTheSessionOfAnApproval() {
        try (var other = Phone.enter(ash.pair())) {
            var asked = asking();
            var frame = other.await("notification");
            finish(asked);
            return Checks.of("notification", frame.path("payload"))
                    .equal("notification_id", frame.path("id").asString())
                    .equal("session_id", asked.at("/payload/session_id").asString())
                    .equal("notification_type", "approval_required")
                    .equal("title", "Approval needed: Bash: touch notified.txt")
                    .equal("body", "claude-code wants to use Bash: touch notified.txt in app")
                    .equal("priority", "high")
                    .equal("data/tool_call_id", asked.at("/payload/tool_call_id").asString())
                    .equal("data/screen", "approval_detail")
                    .all();
        }
    }

    @Test
    void repeatsANotificationUntilItIsAcknowledged() {
        var other = Phone.enter(ash.pair());
        var asked = asking();
        var first = other.await("notification");
        other = other.reconnect();
        var again = replayed(other);
        assertThat(again).hasSize(1);
        assertThat(again.getFirst().path("id")).isEqualTo(first.path("id"));
        assertThat(again.getFirst().path("payload")).isEqualTo(first.path("payload"));

        other.client()
                .sendText(
                        "{\"type\":\"notification_ack\",\"payload\":{\"notification_ids\":[\"%s\"]}}"
                                .formatted(first.path("id").asString()));
        other.ask(
                "file_list",
                Map.of("session_id", asked.at("/payload/session_id").asString(), "path", "."),
                "file_list_response");
        other = other.reconnect();
        assertThat(replayed(other)).isEmpty();
        other.close();
        finish(asked);
    }

    @Test
    void appliesAnAcknowledgmentToOneDevice() {
        var first = Phone.enter(ash.pair());
        var second = Phone.enter(ash.pair());
        var asked = asking();
        var id = first.await("notification").path("id").asString();
        second.await("notification");
        first.client().send("notification_ack", "n", Map.of("notification_ids", List.of(id)));
        first = first.reconnect();
        second = second.reconnect();
        assertThat(replayed(second)).hasSize(1);
        first.close();
        second.close();
        finish(asked);
    }

    @Test
    void doesNotNotifyADeviceThatFollowsTheSession() {
        var session = phone.start("claude-code", ash.project().directory());
        phone.say(session, Script.bash("touch followed.txt") + "\nSAY:followed");
        var frames = phone.until(Phone.is("approval_required", session));
        finish(frames.getLast());
        assertThat(Phone.only("notification", replayedAll())).isEmpty();
    }

    private static List<JsonNode> replayedAll() {
        return phone.until(after(phone));
    }

    @Test
    void withdrawsNotificationsOfApprovalsAnsweredElsewhere() {
        var other = Phone.enter(ash.pair());
        other.close();
        var asked = asking();
        finish(asked);
        other = other.reconnect();
        assertThat(replayed(other)).isEmpty();
        other.close();
    }

    private static void awaitDisconnected(Phone device) {
        await().atMost(Duration.ofSeconds(20))
                .until(
                        () ->
                                ash.api()
                                        .get("/api/devices")
                                        .at("/devices")
                                        .valueStream()
                                        .filter(
                                                each ->
                                                        each.path("id")
                                                                .asString()
                                                                .equals(device.pairing().id()))
                                        .noneMatch(each -> each.path("connected").asBoolean()));
    }

    @Test
    void notifiesOfATurnThatEndedDuringADisconnect() {
        var other = Phone.enter(ash.pair());
        var session = other.start("claude-code", ash.project().directory());
        other.say(session, "HOLD");
        other.await("stream_chunk", session);
        phone.ask("session_start", Phone.resuming(session), "session_ready");
        other.close();
        awaitDisconnected(other);
        ash.model().release();
        phone.awaitEnd(session);
        phone.turn(session, "SAY:the next turn begins when that one has ended");
        other = other.reconnect();
        var frames = other.await("notification").path("payload");
        assertThat(frames.path("notification_type").asString()).isEqualTo("task_complete");
        assertThat(frames.path("priority").asString()).isEqualTo("normal");
        assertThat(frames.path("title").asString()).startsWith("app: ");
        assertThat(frames.path("body").asString()).isNotBlank();
        assertThat(frames.at("/data/screen").isString()).isTrue();
        other.awaitEnd(session); // the text is sent too
        other.close();
    }
}
