package dev.ash.e2e.gateway;

import static dev.ash.e2e.gateway.ConnectionConformanceTest.auth;
import static dev.ash.e2e.gateway.ConnectionConformanceTest.connectionError;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.e2e.NeedsClaude;
import dev.ash.e2e.Script;
import dev.ash.e2e.gateway.DeviceClient.Pairing;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** What goes beyond the published protocol, for devices that say that they can do it. */
@NeedsClaude
class CapabilityConformanceTest {
    private static final Map<String, Object> QUESTION =
            Map.of(
                    "questions",
                    List.of(
                            Map.of(
                                    "question",
                                    "Which fruit?",
                                    "header",
                                    "Fruit",
                                    "multiSelect",
                                    false,
                                    "options",
                                    List.of(
                                            Map.of("label", "Plums", "description", "blue"),
                                            Map.of("label", "Pears", "description", "green")))));

    /** A picture of one pixel. */
    private static final String DOT =
            "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";

    private static TestGateway gateway;

    @BeforeAll
    static void start() {
        gateway = TestGateway.start();
    }

    @AfterAll
    static void stop() {
        gateway.close();
    }

    private static String session(Phone phone) {
        return phone.start("claude-code", gateway.directory());
    }

    @Test
    void deviceTokenReplacesThePairingToken() {
        var phone = gateway.phone("device_token_v1");
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
    void interruptEndsTheTurn() {
        try (var phone = gateway.phone("interrupt_v1")) {
            var session = session(phone);
            phone.say(session, "HOLD");
            phone.await("stream_chunk", session);
            var answer = phone.ask("interrupt", Map.of("session_id", session), "interrupted");
            assertThat(answer.path("interrupted").asBoolean()).isTrue();
            var end = phone.await("stream_end", session).path("payload");
            assertThat(end.path("finish_reason").asString()).isEqualTo("error");
            gateway.model().release();
            assertThat(Phone.said(phone.turn(session, "SAY:next"))).isEqualTo("next");
        }
    }

    @Test
    void interruptWithoutTheCapabilityIsRefused() {
        try (var phone = gateway.phone()) {
            var error = phone.refused("interrupt", Map.of("session_id", "x"), "BRIDGE_ERROR", true);
            assertThat(error.path("message").asString()).contains("interrupt_v1");
        }
    }

    @Test
    void capabilitiesMayBeSaidInTheHealthCheckToo() {
        try (var phone = gateway.phone()) {
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
    void historyIsReadByCursor() {
        try (var phone = gateway.phone("history_v1")) {
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
    void whatOthersSayIsToldToThoseWithHistoryAlone() {
        try (var speaker = gateway.phone();
                var reader = gateway.phone("history_v1")) {
            var session = session(speaker);
            reader.ask("session_start", Phone.resuming(session), "session_ready");
            var frames = speaker.turn(session, "SAY:heard");
            var told = reader.await("message", session).path("payload");
            assertThat(told.path("content").asString()).isEqualTo("SAY:heard");
            assertThat(told.path("role").asString()).isEqualTo("user");
            assertThat(Phone.types(frames)).doesNotContain("message");
            speaker.refused("history_request", Map.of("session_id", session), "BRIDGE_ERROR", true);
        }
    }

    @Test
    void usageIsToldToThoseWhoAskForItAlone() {
        try (var plain = gateway.phone();
                var counting = gateway.phone("usage_v1")) {
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
    void anApprovalForTheSessionIsNotAskedForAgain() {
        try (var phone = gateway.phone("approvals_v1")) {
            var session = session(phone);
            phone.say(session, twice("scoped"));
            phone.decide(
                    phone.await("approval_required", session),
                    "approved",
                    Map.of("scope", "session"));
            var frames = phone.until(frame -> Phone.isLast(frame, session));
            assertThat(Phone.types(frames)).doesNotContain("approval_required");
            var resolved = Phone.only("approval_resolved", frames).getFirst().path("payload");
            assertThat(resolved.path("decision").asString()).isEqualTo("approved");
            assertThat(gateway.project().read("scoped.txt")).isEqualTo("1\n1\n");
        }
    }

    @Test
    void withoutTheCapabilityAScopeIsNotHeardAndResolutionsAreNotTold() {
        try (var phone = gateway.phone()) {
            var session = session(phone);
            phone.say(session, twice("unscoped"));
            phone.decide(
                    phone.await("approval_required", session),
                    "approved",
                    Map.of("scope", "session"));
            phone.decide(phone.await("approval_required", session), "rejected", Map.of());
            var frames = phone.until(frame -> Phone.isLast(frame, session));
            assertThat(Phone.types(frames)).doesNotContain("approval_resolved");
            assertThat(gateway.project().read("unscoped.txt")).isEqualTo("1\n");
        }
    }

    private static String twice(String name) {
        var call = Script.bash("echo 1 >> " + name + ".txt");
        return call + "\n" + call + "\nSAY:done";
    }

    @Test
    void aQuestionIsAskedInAMessageOfItsOwnAndAnswered() {
        try (var phone = gateway.phone("questions_v1")) {
            var session = session(phone);
            phone.say(session, Script.tool("AskUserQuestion", QUESTION) + "\nSAY:fruit chosen");
            var asked = phone.await("question_required", session).path("payload");
            assertThat(asked.at("/params/questions/0/question").asString())
                    .isEqualTo("Which fruit?");
            phone.client()
                    .send(
                            "question_response",
                            "q-1",
                            Map.of(
                                    "session_id",
                                    session,
                                    "tool_call_id",
                                    asked.path("tool_call_id").asString(),
                                    "answers",
                                    Map.of("Which fruit?", "Pears")));
            phone.awaitEnd(session);
            var told =
                    gateway.model()
                            .await(
                                    request ->
                                            request.isTurn()
                                                    && request.everything().contains("fruit chosen")
                                                    && !request.toolResults().isEmpty());
            assertThat(told.toolResults().getLast().text()).contains("\"Which fruit?\"=\"Pears\"");
        }
    }

    @Test
    void aPlanIsReviewedInAMessageOfItsOwn() {
        try (var phone = gateway.phone("questions_v1")) {
            var session = session(phone);
            phone.say(
                    session,
                    "TOOL:EnterPlanMode {}\n"
                            + Script.tool("ExitPlanMode", Map.of("plan", "Eat the plums."))
                            + "\nSAY:plan approved");
            var frames = phone.until(Phone.is("plan_review_required", session), phone::approveIfAsked);
            var asked = frames.getLast();
            assertThat(asked.at("/payload/tool").asString()).isEqualTo("ExitPlanMode");
            phone.client()
                    .send(
                            "plan_review_response",
                            "p-1",
                            Map.of(
                                    "session_id",
                                    session,
                                    "tool_call_id",
                                    asked.at("/payload/tool_call_id").asString(),
                                    "decision",
                                    "approved"));
            assertThat(Phone.said(phone.until(frame -> Phone.isLast(frame, session))))
                    .isEqualTo("plan approved");
        }
    }

    @Test
    void withoutTheCapabilityAQuestionIsAnApproval() {
        try (var phone = gateway.phone()) {
            var session = session(phone);
            phone.say(session, Script.tool("AskUserQuestion", QUESTION) + "\nSAY:no fruit");
            var asked = phone.await("approval_required", session);
            assertThat(asked.at("/payload/tool").asString()).isEqualTo("AskUserQuestion");
            phone.refused("question_response", Map.of("session_id", session), "BRIDGE_ERROR", true);
            phone.decide(asked, "rejected", Map.of());
            phone.awaitEnd(session);
        }
    }

    @Test
    void attachmentsReachTheModel() {
        try (var phone = gateway.phone("attachments_v1")) {
            var session = session(phone);
            phone.client().send("message", "m-1", withAttachment(session, "SAY:attached"));
            phone.awaitEnd(session);
            var turn =
                    gateway.model()
                            .await(r -> r.isTurn() && r.everything().contains("SAY:attached"));
            assertThat(turn.everything()).contains("note.txt", "seven plums");
            assertThat(turn.body().path("messages").toString()).contains("\"type\":\"image\"");
        }
    }

    @Test
    void attachmentsWithoutTheCapabilityDoNot() {
        try (var phone = gateway.phone()) {
            var session = session(phone);
            phone.client().send("message", "m-1", withAttachment(session, "SAY:detached"));
            phone.awaitEnd(session);
            assertThat(gateway.model().awaitTurn("SAY:detached").everything())
                    .doesNotContain("seven plums");
        }
    }

    @Test
    void anAttachmentThatNoModelReadsIsRefused() {
        try (var phone = gateway.phone("attachments_v1")) {
            var file = Map.of("name", "a.zip", "media_type", "application/zip", "data", "");
            var error =
                    phone.refused(
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
