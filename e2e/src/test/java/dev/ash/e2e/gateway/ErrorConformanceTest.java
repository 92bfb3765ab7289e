package dev.ash.e2e.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.e2e.AshExtension;
import dev.ash.e2e.NeedsClaude;
import java.time.Duration;
import java.util.Map;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Tests the errors for invalid requests; the connection stays open after each. */
@NeedsClaude
class ErrorConformanceTest {
    @RegisterExtension
    static final AshExtension ash = AshExtension.claude().gateway().sampleProject();

    private static Phone phone;
    private static String session;

    @BeforeAll
    static void start() {
        phone = Phone.enter(ash.pair(), "history_v1", "interrupt_v1", "questions_v1");
        session = phone.start("claude-code", ash.project().directory());
    }

    @AfterAll
    static void stop() {
        phone.close();
    }

    @TestFactory
    Stream<DynamicTest> sendsErrorsWithEveryField() {
        var unknown = UUID.randomUUID().toString();
        var error =
                phone.assertError(
                        "git_status_request",
                        Map.of("session_id", unknown),
                        "SESSION_NOT_FOUND",
                        false);
        return Checks.of("error", error)
                .equal("code", "SESSION_NOT_FOUND")
                .text("message")
                .equal("session_id", unknown)
                .equal("recoverable", false)
                .all();
    }

    @TestFactory
    Stream<DynamicTest> reportsUnknownSessionsAsSessionNotFound() {
        return Stream.of(
                        "message",
                        "session_end",
                        "git_status_request",
                        "git_commit",
                        "git_diff",
                        "file_list",
                        "file_read",
                        "history_request",
                        "interrupt")
                .flatMap(
                        type ->
                                Stream.of(UUID.randomUUID().toString(), "sess-abc123")
                                        .map(id -> unknown(type, id)));
    }

    private static DynamicTest unknown(String type, String id) {
        var request = Map.of("session_id", id, "content", "x", "message", "x", "path", ".");
        return DynamicTest.dynamicTest(
                type + " of " + (id.startsWith("sess") ? id : "an unknown UUID"),
                () -> phone.assertError(type, request, "SESSION_NOT_FOUND", false));
    }

    @TestFactory
    Stream<DynamicTest> reportsMissingFieldsAsBridgeError() {
        return Stream.of(
                        "session_start",
                        "session_end",
                        "message",
                        "approval_response",
                        "git_status_request",
                        "git_commit",
                        "git_diff",
                        "file_list",
                        "file_read",
                        "interrupt",
                        "history_request",
                        "question_response")
                .map(
                        type ->
                                DynamicTest.dynamicTest(
                                        type + " with an empty payload",
                                        () ->
                                                phone.assertError(
                                                        type, Map.of(), "BRIDGE_ERROR", true)));
    }

    @Test
    void reportsFieldsOfAWrongTypeAsBridgeError() {
        phone.assertError(
                "message", Map.of("session_id", session, "content", 7), "BRIDGE_ERROR", true);
        phone.assertError(
                "file_read",
                Map.of("session_id", session, "path", "notes.txt", "offset", "first"),
                "BRIDGE_ERROR",
                true);
        phone.assertError("file_list", Map.of("session_id", 7, "path", "."), "BRIDGE_ERROR", true);
    }

    @TestFactory
    Stream<DynamicTest> rejectsNegativeOffsets() {
        return Stream.of(-1, Integer.MIN_VALUE)
                .map(
                        offset ->
                                DynamicTest.dynamicTest(
                                        "offset " + offset,
                                        () ->
                                                phone.assertError(
                                                        "file_read",
                                                        Map.of(
                                                                "session_id",
                                                                session,
                                                                "path",
                                                                "notes.txt",
                                                                "offset",
                                                                offset),
                                                        "BRIDGE_ERROR",
                                                        true)));
    }

    @Test
    void reportsUnknownTypesAsBridgeError() {
        var error = phone.assertError("make_tea", Map.of(), "BRIDGE_ERROR", true);
        assertThat(error.path("message").asString()).contains("make_tea");
    }

    @Test
    void rejectsServerMessagesFromADevice() {
        phone.assertError("connection_ack", Map.of(), "BRIDGE_ERROR", true);
    }

    @TestFactory
    Stream<DynamicTest> reportsInvalidFramesAsBridgeError() {
        return Stream.of(
                        "{",
                        "",
                        "null",
                        "[]",
                        "7",
                        "{}",
                        "{\"type\":7}",
                        "{\"type\":null}",
                        "{\"type\":\"message\",\"payload\":7}",
                        "{\"type\":\"message\",\"payload\":[]}",
                        "{\"type\":\"file_list\",\"id\":7}",
                        "{\"type\":\"file_list\"} trailing")
                .map(
                        text ->
                                DynamicTest.dynamicTest(
                                        text.isEmpty() ? "(empty)" : text,
                                        () -> assertMalformed(text)));
    }

    private static void assertMalformed(String text) {
        try (var other = Phone.enter(ash.pair())) {
            other.client().sendText(text);
            var error = other.await("error").path("payload");
            assertThat(error.path("code").asString()).isEqualTo("BRIDGE_ERROR");
            assertThat(error.path("recoverable").asBoolean()).isTrue();
            other.client().sendText("{\"type\":\"heartbeat_ping\"}");
            other.await("heartbeat_pong");
        }
    }

    @Test
    void repeatsTheIdOfAMessageWithAnInvalidPayload() {
        try (var other = Phone.enter(ash.pair())) {
            other.client().sendText("{\"type\":\"message\",\"id\":\"m-7\",\"payload\":7}");
            assertThat(other.await("error").path("id").asString()).isEqualTo("m-7");
        }
    }

    @Test
    void answersARequestWithoutAnIdWithoutAnId() {
        try (var other = Phone.enter(ash.pair())) {
            other.client()
                    .sendText(
                            "{\"type\":\"file_list\",\"payload\":{\"session_id\":\"%s\",\"path\":\".\"}}"
                                    .formatted(session));
            assertThat(other.await("file_list_response").has("id")).isFalse();
        }
    }

    @Test
    void doesNotAnswerNotificationAck() {
        try (var other = Phone.enter(ash.pair())) {
            other.client()
                    .send(
                            "notification_ack",
                            "n-1",
                            Map.of("notification_ids", new String[] {"x"}));
            other.ask(
                    "file_list", Map.of("session_id", session, "path", "."), "file_list_response");
            assertThat(other.client().next(Duration.ZERO)).isNull();
        }
    }

    @Test
    void limitsConcurrentRequestsAndAnswersEach() {
        try (var other = Phone.enter(ash.pair())) {
            int count = 300;
            for (int i = 0; i < count; i++) {
                other.client()
                        .send("git_status_request", "flood-" + i, Map.of("session_id", session));
            }
            var answers = new TreeSet<String>();
            for (int i = 0; i < count; i++) {
                var id = "flood-" + i;
                var answer = other.client().await(id, f -> f.path("id").asString("").equals(id));
                answers.add(
                        answer.path("type").asString()
                                + answer.at("/payload/code").asString("")
                                + answer.at("/payload/recoverable").asString(""));
            }
            assertThat(answers).containsExactly("errorRATE_LIMITEDtrue", "git_status_response");
        }
    }
}
