package dev.ash.server.gateway;

import dev.ash.protocol.SessionId;
import dev.ash.protocol.json.RawJson;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A parsed message from a device. {@link DeviceMessageType} lists how each type is handled; {@link
 * DeviceProtocol} parses them.
 */
sealed interface DeviceMessage {
    /** A message about the connection itself. */
    sealed interface OfConnection extends DeviceMessage {}

    /** A message that requires an admitted device. */
    sealed interface Request extends DeviceMessage {}

    record HeartbeatPing() implements OfConnection {}

    record Auth(
            String token,
            String clientVersion,
            @Nullable String platform,
            Set<Capability> capabilities,
            boolean isProbe)
            implements OfConnection {}

    /** {@code timestamp} is empty if it is not a string, and null if the device sends none. */
    record CheckHealth(
            Set<Capability> capabilities, @Nullable String timestamp, @Nullable String clientNonce)
            implements OfConnection {}

    record AcknowledgeWarning(String code, boolean isAcknowledged) implements OfConnection {}

    record AcknowledgeNotifications(List<String> ids) implements Request {}

    /** Starts a new session. */
    record StartSession(
            String agent,
            @Nullable String model,
            @Nullable String systemPrompt,
            @Nullable String workingDirectory)
            implements Request {}

    /** Follows an existing session, and resumes it if the scopes of the device permit that. */
    record JoinSession(SessionId session) implements Request {}

    record EndSession(SessionId session, String reason) implements Request {}

    record Prompt(SessionId session, String content, Optional<RawJson> attachments)
            implements Request {}

    record Interrupt(SessionId session) implements Request {}

    record ChangePermissionMode(SessionId session, String mode) implements Request {}

    record ReadHistory(SessionId session, long after, OptionalInt limit) implements Request {}

    /** Decides about a tool call or a plan; {@code toolCall} may be the id of the approval. */
    record DecideApproval(
            SessionId session,
            String toolCall,
            String decision,
            @Nullable RawJson modifications,
            @Nullable String message,
            @Nullable String scope)
            implements Request {}

    /** Answers a question of the model; without {@code answers}, rejects it. */
    record AnswerQuestion(
            SessionId session, String toolCall, @Nullable RawJson answers, @Nullable String message)
            implements Request {}

    record GitStatus(SessionId session) implements Request {}

    /** {@code files} is null for all files. */
    record GitCommit(SessionId session, String message, @Nullable List<String> files)
            implements Request {}

    /** {@code files} is null for all files. */
    record GitDiff(SessionId session, @Nullable List<String> files, boolean isCached)
            implements Request {}

    /** {@code includeHidden} is empty if the device does not send it. */
    record ListFiles(
            SessionId session,
            String path,
            OptionalInt offset,
            OptionalInt limit,
            Optional<Boolean> includeHidden)
            implements Request {}

    record ReadFile(SessionId session, String path, OptionalInt offset, OptionalInt limit)
            implements Request {}

    /** A type unknown to this version; answered with an error. */
    record Unknown(String type) implements Request {}
}
