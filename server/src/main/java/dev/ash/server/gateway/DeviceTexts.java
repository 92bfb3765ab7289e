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
 * Error messages of the server in the terms of the gateway protocol: fields have the names that
 * frames use, and advice to call the REST API is replaced by the frame to send instead.
 */
final class DeviceTexts {
    /** REST fields that frames have as well, under another name. */
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

    /** A user's own path may contain {@code /api/}, but not begin with it. */
    private static final String REST_PATH = "(?<![\\w./-])/api/|…/\\w";

    private static final Pattern REST_PATHS = Pattern.compile(REST_PATH);

    /** Paths of the REST API, HTTP methods and headers, and fields that no frame has. */
    private static final Pattern REST_ONLY =
            Pattern.compile(
                    REST_PATH
                            + "|\\b(GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS)\\b"
                            + "|\\b(Authorization|Bearer|Retry-After|Last-Event-ID|Idempotency-Key"
                            + "|Content-\\w+|Cache-Control|X-[A-Z][\\w-]+)\\b"
                            + "|\\b("
                            + String.join("|", restFields())
                            + ")\\b");

    /** Between two sentences, or two parts of one. */
    private static final Pattern CLAUSES = Pattern.compile("(?<=[.;])\\s+");

    /** The names of two or more words in the bodies of the REST API. */
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

    /** The message of a failed request. */
    static String of(ErrorCode code, String sentence) {
        var whole = whole(code);
        if (whole.isPresent()) {
            return whole.get();
        }
        var renamed = renamed(sentence);
        var kept = without(REST_ONLY, renamed);
        if (kept.isEmpty()) {
            return failed(code);
        }
        boolean complete = kept.get().equals(renamed) && code != ErrorCode.SESSION_NOT_FOUND;
        return complete ? renamed : joined(kept.get(), next(code));
    }

    /** An error in the log of a session: it has no code, and its text may come from the engine. */
    static String ofLogged(String sentence) {
        var kept = without(REST_PATHS, sentence);
        return kept.filter(sentence::equals)
                .orElseGet(
                        () ->
                                joined(
                                        kept.orElse("The agent failed"),
                                        next(ErrorCode.SESSION_NOT_ACTIVE)));
    }

    private static String renamed(String sentence) {
        return FIELD.matcher(sentence)
                .replaceAll(
                        found ->
                                Matcher.quoteReplacement(
                                        FIELDS.getOrDefault(found.group(), found.group())));
    }

    /** The clauses before the first that a device cannot use; empty if there are none. */
    private static Optional<String> without(Pattern unusable, String sentence) {
        var kept = new ArrayList<String>();
        for (var clause : CLAUSES.split(sentence, -1)) {
            if (unusable.matcher(clause).find()) {
                break;
            }
            kept.add(clause);
        }
        return kept.isEmpty() ? Optional.empty() : Optional.of(String.join(" ", kept));
    }

    private static String joined(String sentence, String advice) {
        return sentence.replaceFirst("[.;,:]+$", "") + "; " + advice;
    }

    /** Messages that have one meaning for a device, whatever the details. */
    private static Optional<String> whole(ErrorCode code) {
        return switch (code) {
            case SESSION_ENDED ->
                    Optional.of("This session has ended; send session_start to start a new one");
            default -> Optional.empty();
        };
    }

    /** What to send next. */
    private static String next(ErrorCode code) {
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

    /** For a failure whose description is about the REST API alone. */
    private static String failed(ErrorCode code) {
        return switch (code) {
            case IDEMPOTENCY_MISMATCH ->
                    "Another request has this id; send this one again with another id";
            case UNAUTHORIZED, FORBIDDEN -> "This device may not do that; pair it again";
            default -> "The server rejected this request; " + next(code);
        };
    }

    private DeviceTexts() {}
}
