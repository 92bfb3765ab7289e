package dev.ash.server.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.SessionId;
import dev.ash.protocol.gateway.GatewayFrame;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DeviceProtocolTest {
    private static final SessionId SESSION = SessionId.random();

    /** Adds the session id to the fields and parses the message. */
    private static DeviceMessage parse(String type, String fields) throws Exception {
        var payload = "{\"session_id\":\"%s\"%s}".formatted(SESSION, fields);
        return parse(new GatewayFrame(type, "1", RawJson.of(payload)));
    }

    private static DeviceMessage parse(GatewayFrame frame) throws Exception {
        return DeviceProtocol.parse(DeviceMessageType.of(frame), frame);
    }

    @Test
    void parsesMessagesAboutConnection() throws Exception {
        assertThat(parse("heartbeat_ping", "")).isEqualTo(new DeviceMessage.HeartbeatPing());
        assertThat(
                        parse(
                                "auth",
                                """
                                ,"token":"t","client_version":"1.0","platform":"ios","purpose":"probe",\
                                "client_capabilities":["interrupt_v1","new_v9"]"""))
                .isEqualTo(
                        new DeviceMessage.Auth(
                                "t", "1.0", "ios", Set.of(Capability.INTERRUPT), true));
        assertThat(parse("auth", ""))
                .isEqualTo(new DeviceMessage.Auth("", "", null, Set.of(), false));
        assertThat(parse("health_check", ",\"timestamp\":\"now\",\"client_nonce\":\"n\""))
                .isEqualTo(new DeviceMessage.CheckHealth(Set.of(), "now", "n"));
        assertThat(parse("acknowledge_warning", ",\"warning_code\":\"W\",\"acknowledged\":true"))
                .isEqualTo(new DeviceMessage.AcknowledgeWarning("W", true));
    }

    @Test
    void distinguishesInvalidTimestampFromMissingOne() throws Exception {
        assertThat(parse("health_check", ",\"timestamp\":7"))
                .isEqualTo(new DeviceMessage.CheckHealth(Set.of(), "", null));
        assertThat(parse("health_check", ",\"timestamp\":null"))
                .isEqualTo(new DeviceMessage.CheckHealth(Set.of(), null, null));
    }

    @Test
    void parsesRequestsAboutSessions() throws Exception {
        assertThat(parse("session_start", ",\"agent\":\"a\",\"model\":\"m\",\"resume\":false"))
                .isEqualTo(new DeviceMessage.StartSession("a", "m", null, null));
        assertThat(parse("session_start", ",\"resume\":true"))
                .isEqualTo(new DeviceMessage.JoinSession(SESSION));
        assertThat(parse("session_end", ""))
                .isEqualTo(new DeviceMessage.EndSession(SESSION, "user_request"));
        assertThat(parse("message", ",\"content\":\"hi\",\"attachments\":null"))
                .isEqualTo(new DeviceMessage.Prompt(SESSION, "hi", Optional.empty()));
        assertThat(parse("interrupt", "")).isEqualTo(new DeviceMessage.Interrupt(SESSION));
        assertThat(parse("permission_mode", ",\"mode\":\"ask\""))
                .isEqualTo(new DeviceMessage.ChangePermissionMode(SESSION, "ask"));
        assertThat(parse("history_request", ",\"after\":7,\"limit\":2"))
                .isEqualTo(new DeviceMessage.ReadHistory(SESSION, 7, OptionalInt.of(2)));
        assertThat(parse("notification_ack", ",\"notification_ids\":[\"a\",\"b\"]"))
                .isEqualTo(new DeviceMessage.AcknowledgeNotifications(List.of("a", "b")));
    }

    @Test
    void parsesDecisions() throws Exception {
        var decided =
                new DeviceMessage.DecideApproval(
                        SESSION, "c", "modified", RawJson.of("{\"x\":1}"), "why", "session");
        var fields =
                """
                ,"tool_call_id":"c","decision":"modified","modifications":{"x":1},"message":"why",\
                "scope":"session\"""";
        assertThat(parse("approval_response", fields)).isEqualTo(decided);
        assertThat(parse("plan_review_response", fields)).isEqualTo(decided);
        assertThat(parse("question_response", ",\"tool_call_id\":\"c\",\"answers\":{\"q\":\"a\"}"))
                .isEqualTo(
                        new DeviceMessage.AnswerQuestion(
                                SESSION, "c", RawJson.of("{\"q\":\"a\"}"), null));
    }

    @Test
    void parsesRequestsAboutFiles() throws Exception {
        assertThat(parse("git_status_request", "")).isEqualTo(new DeviceMessage.GitStatus(SESSION));
        assertThat(parse("git_commit", ",\"message\":\"m\",\"files\":[\"f\"]"))
                .isEqualTo(new DeviceMessage.GitCommit(SESSION, "m", List.of("f")));
        assertThat(parse("git_diff", ",\"files\":null,\"cached\":true"))
                .isEqualTo(new DeviceMessage.GitDiff(SESSION, null, true));
        assertThat(parse("file_list", ",\"includeHidden\":false,\"limit\":5"))
                .isEqualTo(
                        new DeviceMessage.ListFiles(
                                SESSION,
                                ".",
                                OptionalInt.empty(),
                                OptionalInt.of(5),
                                Optional.of(false)));
        assertThat(parse("file_read", ",\"path\":\"p\",\"offset\":3"))
                .isEqualTo(
                        new DeviceMessage.ReadFile(
                                SESSION, "p", OptionalInt.of(3), OptionalInt.empty()));
    }

    @Test
    void keepsNameOfUnknownMessage() throws Exception {
        assertThat(parse("no_such_type", "")).isEqualTo(new DeviceMessage.Unknown("no_such_type"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "message",
                "permission_mode",
                "approval_response",
                "plan_review_response",
                "question_response",
                "file_read"
            })
    void rejectsMissingField(String type) {
        assertThatThrownBy(() -> parse(type, "")).isInstanceOf(MalformedJsonException.class);
    }

    @Test
    void reportsInvalidSessionIdAsNotFound() {
        var frame =
                new GatewayFrame("interrupt", "1", RawJson.of("{\"session_id\":\"../secret\"}"));

        assertThatThrownBy(() -> parse(frame))
                .isInstanceOfSatisfying(
                        ApiException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.SESSION_NOT_FOUND));
    }
}
