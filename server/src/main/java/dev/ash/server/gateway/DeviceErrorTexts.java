package dev.ash.server.gateway;

import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.rest.AgentApi;
import dev.ash.protocol.rest.ApprovalApi;
import dev.ash.protocol.rest.CredentialApi;
import dev.ash.protocol.rest.DeviceApi;
import dev.ash.protocol.rest.ResourceLimits;
import dev.ash.protocol.rest.SessionApi;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Rewrites error messages of the server in the terms of the gateway protocol: renames fields of the
 * REST API, and replaces advice to call it by the frame to send instead.
 */
final class DeviceErrorTexts {
    /** REST fields that frames have under another name. */
    private static final Map<String, String> FIELDS =
            Map.of(
                    "workingDirectory", "working_directory",
                    "systemPrompt", "system_prompt",
                    "permissionMode", "mode",
                    "sessionId", "session_id",
                    "toolUseId", "tool_call_id",
                    "mediaType", "media_type");

    private static final Pattern FIELD =
            Pattern.compile("\\b(" + String.join("|", FIELDS.keySet()) + ")\\b");

    /** Matches paths of the REST API. A path of a user may contain {@code /api/} elsewhere. */
    private static final String REST_PATH = "(?<![\\w./-])/api/|…/\\w";

    private static final Pattern REST_PATHS = Pattern.compile(REST_PATH);

    /** Matches REST paths, HTTP methods and headers, and fields that no frame has. */
    private static final Pattern REST_ONLY =
            Pattern.compile(
                    REST_PATH
                            + "|\\b(GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS)\\b"
                            + "|\\b(Authorization|Bearer|Retry-After|Last-Event-ID|Idempotency-Key"
                            + "|Content-\\w+|Cache-Control|X-[A-Z][\\w-]+)\\b"
                            + "|\\b("
                            + String.join("|", restFields())
                            + ")\\b");

    private static final Pattern CLAUSE_BOUNDARY = Pattern.compile("(?<=[.;])\\s+");

    /** Returns the camel-case field names of the REST API. */
    private static List<String> restFields() {
        var apis =
                Stream.of(
                        SessionApi.class,
                        AgentApi.class,
                        ApprovalApi.class,
                        CredentialApi.class,
                        DeviceApi.class);
        return Stream.concat(
                        apis.flatMap(api -> Arrays.stream(api.getDeclaredClasses())),
                        Stream.of(ResourceLimits.class))
                .filter(Class::isRecord)
                .flatMap(body -> Arrays.stream(body.getRecordComponents()))
                .map(RecordComponent::getName)
                .filter(name -> !name.equals(name.toLowerCase(Locale.ROOT)))
                .distinct()
                .sorted()
                .toList();
    }

    /** Returns the message of a failed request. */
    static String of(ErrorCode code, String message) {
        var fixed = fixed(code);
        if (fixed.isPresent()) {
            return fixed.get();
        }
        var renamed = renameFields(message);
        var kept = clausesWithout(REST_ONLY, renamed);
        if (kept.isEmpty()) {
            return generic(code);
        }
        boolean complete = kept.get().equals(renamed) && code != ErrorCode.SESSION_NOT_FOUND;
        return complete ? renamed : join(kept.get(), advice(code));
    }

    /** Returns the message of a logged error, which has no code and may come from the engine. */
    static String ofLogged(String message) {
        var kept = clausesWithout(REST_PATHS, message);
        return kept.filter(message::equals)
                .orElseGet(
                        () ->
                                join(
                                        kept.orElse("The agent failed"),
                                        advice(ErrorCode.SESSION_NOT_ACTIVE)));
    }

    private static String renameFields(String message) {
        return FIELD.matcher(message)
                .replaceAll(
                        found ->
                                Matcher.quoteReplacement(
                                        FIELDS.getOrDefault(found.group(), found.group())));
    }

    /** Returns the clauses before the first unusable one; empty if there are none. */
    private static Optional<String> clausesWithout(Pattern unusable, String message) {
        var kept = new ArrayList<String>();
        for (var clause : CLAUSE_BOUNDARY.split(message, -1)) {
            if (unusable.matcher(clause).find()) {
                break;
            }
            kept.add(clause);
        }
        return kept.isEmpty() ? Optional.empty() : Optional.of(String.join(" ", kept));
    }

    private static String join(String message, String advice) {
        return message.replaceFirst("[.;,:]+$", "") + "; " + advice;
    }

    /** Returns the message for codes that always have the same one. */
    private static Optional<String> fixed(ErrorCode code) {
        return switch (code) {
            case SESSION_ENDED ->
                    Optional.of("This session has ended; send session_start to start a new one");
            default -> Optional.empty();
        };
    }

    /** Returns which frame to send next. */
    private static String advice(ErrorCode code) {
        return switch (code) {
            case SESSION_NOT_ACTIVE, SANDBOX_FAILED ->
                    "send session_start with its session_id and resume: true to continue it";
            case SESSION_NOT_FOUND ->
                    "connection_ack lists the open sessions; send session_start to start a new one";
            case SESSION_BUSY -> "send this again when the turn has ended";
            case SESSION_LOG_FULL -> "send session_start to start a new session";
            case AGENT_NOT_FOUND, AGENT_UNUSABLE ->
                    "send session_start with one of the supported_agents of connection_ack";
            default -> "change the request and send it again";
        };
    }

    /** Returns the message for a failure whose description applies only to the REST API. */
    private static String generic(ErrorCode code) {
        return switch (code) {
            case IDEMPOTENCY_MISMATCH ->
                    "The id was already used for a different request; send this one with another id";
            case UNAUTHORIZED, FORBIDDEN -> "This device is not authorized; pair it again";
            default -> "The server rejected this request; " + advice(code);
        };
    }

    private DeviceErrorTexts() {}
}
