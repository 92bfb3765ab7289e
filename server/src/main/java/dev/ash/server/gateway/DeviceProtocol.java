package dev.ash.server.gateway;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.SessionId;
import dev.ash.protocol.gateway.GatewayFrame;
import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;
import dev.ash.server.gateway.DeviceMessage.AcknowledgeNotifications;
import dev.ash.server.gateway.DeviceMessage.AcknowledgeWarning;
import dev.ash.server.gateway.DeviceMessage.AnswerQuestion;
import dev.ash.server.gateway.DeviceMessage.Auth;
import dev.ash.server.gateway.DeviceMessage.ChangePermissionMode;
import dev.ash.server.gateway.DeviceMessage.CheckHealth;
import dev.ash.server.gateway.DeviceMessage.DecideApproval;
import dev.ash.server.gateway.DeviceMessage.EndSession;
import dev.ash.server.gateway.DeviceMessage.GitCommit;
import dev.ash.server.gateway.DeviceMessage.GitDiff;
import dev.ash.server.gateway.DeviceMessage.GitStatus;
import dev.ash.server.gateway.DeviceMessage.HeartbeatPing;
import dev.ash.server.gateway.DeviceMessage.Interrupt;
import dev.ash.server.gateway.DeviceMessage.JoinSession;
import dev.ash.server.gateway.DeviceMessage.ListFiles;
import dev.ash.server.gateway.DeviceMessage.Prompt;
import dev.ash.server.gateway.DeviceMessage.ReadFile;
import dev.ash.server.gateway.DeviceMessage.ReadHistory;
import dev.ash.server.gateway.DeviceMessage.StartSession;
import dev.ash.server.gateway.DeviceMessage.Unknown;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Parses frames of devices into {@link DeviceMessage}s. */
final class DeviceProtocol {
    private static final RawJson FALSE = RawJson.of("false");

    /**
     * Parses a frame of this type.
     *
     * @throws MalformedJsonException if a required field is missing
     * @throws ApiException if its session id is invalid
     */
    static DeviceMessage parse(DeviceMessageType type, GatewayFrame frame)
            throws MalformedJsonException {
        var fields = frame.fields();
        return switch (type) {
            case HEARTBEAT_PING -> new HeartbeatPing();
            case AUTH -> auth(fields);
            case HEALTH_CHECK -> checkHealth(fields);
            case ACKNOWLEDGE_WARNING ->
                    new AcknowledgeWarning(
                            fields.string("warning_code").orElse(""),
                            fields.isTrue("acknowledged"));
            case NOTIFICATION_ACK ->
                    new AcknowledgeNotifications(fields.strings("notification_ids"));
            case START_SESSION ->
                    new StartSession(
                            fields.requireString("agent"),
                            fields.string("model").orElse(null),
                            fields.string("system_prompt").orElse(null),
                            fields.string("working_directory").orElse(null));
            case JOIN_SESSION -> new JoinSession(session(fields));
            case END_SESSION ->
                    new EndSession(session(fields), fields.string("reason").orElse("user_request"));
            case PROMPT ->
                    new Prompt(
                            session(fields),
                            fields.requireString("content"),
                            fields.raw("attachments"));
            case INTERRUPT -> new Interrupt(session(fields));
            case PERMISSION_MODE ->
                    new ChangePermissionMode(session(fields), fields.requireString("mode"));
            case HISTORY_REQUEST ->
                    new ReadHistory(
                            session(fields),
                            fields.number("after").orElse(0),
                            fields.integer("limit"));
            case APPROVAL_RESPONSE, PLAN_REVIEW_RESPONSE -> decideApproval(fields);
            case QUESTION_RESPONSE -> answerQuestion(fields);
            case GIT_STATUS_REQUEST -> new GitStatus(session(fields));
            case GIT_COMMIT ->
                    new GitCommit(
                            session(fields), fields.string("message").orElse(""), files(fields));
            case GIT_DIFF -> new GitDiff(session(fields), files(fields), fields.isTrue("cached"));
            case FILE_LIST ->
                    new ListFiles(
                            session(fields),
                            fields.string("path").orElse("."),
                            fields.integer("offset"),
                            fields.integer("limit"),
                            includeHidden(fields));
            case FILE_READ ->
                    new ReadFile(
                            session(fields),
                            fields.requireString("path"),
                            fields.integer("offset"),
                            fields.integer("limit"));
            case UNKNOWN -> new Unknown(frame.type());
        };
    }

    private static Auth auth(JsonObject fields) throws MalformedJsonException {
        return new Auth(
                fields.string("token").orElse(""),
                fields.string("client_version").orElse(""),
                fields.string("platform").orElse(null),
                capabilities(fields),
                fields.string("purpose").filter("probe"::equals).isPresent());
    }

    private static CheckHealth checkHealth(JsonObject fields) throws MalformedJsonException {
        var timestamp = fields.string("timestamp").orElse("");
        return new CheckHealth(
                capabilities(fields),
                fields.raw("timestamp").isPresent() ? timestamp : null,
                fields.string("client_nonce").orElse(null));
    }

    private static DecideApproval decideApproval(JsonObject fields) throws MalformedJsonException {
        var toolCall = fields.requireString("tool_call_id");
        return new DecideApproval(
                session(fields),
                toolCall,
                fields.requireString("decision"),
                fields.raw("modifications").orElse(null),
                fields.string("message").orElse(null),
                fields.string("scope").orElse(null));
    }

    private static AnswerQuestion answerQuestion(JsonObject fields) throws MalformedJsonException {
        var toolCall = fields.requireString("tool_call_id");
        return new AnswerQuestion(
                session(fields),
                toolCall,
                fields.raw("answers").orElse(null),
                fields.string("message").orElse(null));
    }

    /** Reports an invalid id like that of a missing session. */
    private static SessionId session(JsonObject fields) throws MalformedJsonException {
        var id = fields.requireString("session_id");
        try {
            return new SessionId(id);
        } catch (ApiException e) {
            throw new ApiException(
                    ErrorCode.SESSION_NOT_FOUND, "Session \"%s\" not found".formatted(id), e);
        }
    }

    private static Set<Capability> capabilities(JsonObject fields) throws MalformedJsonException {
        return Capability.of(fields.strings("client_capabilities"));
    }

    private static @Nullable List<String> files(JsonObject fields) throws MalformedJsonException {
        return fields.raw("files").isPresent() ? fields.strings("files") : null;
    }

    private static Optional<Boolean> includeHidden(JsonObject fields) {
        return fields.isTrue("includeHidden")
                ? Optional.of(true)
                : fields.raw("includeHidden").filter(FALSE::equals).map(_ -> false);
    }

    private DeviceProtocol() {}
}
