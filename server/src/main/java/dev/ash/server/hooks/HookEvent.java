package dev.ash.server.hooks;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.SessionId;
import dev.ash.protocol.TenantId;
import dev.ash.protocol.bridge.BridgeEvent.Approval.Kind;
import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * An event reported by a hook, in one of two formats: that of Claude Code ({@code hook_event_name}
 * beside the other fields) and that of other forwarders ({@code event_type} or {@code event}, and a
 * {@code payload}). {@code fields} has the fields of the event in either format.
 */
record HookEvent(SessionId session, String name, RawJson body, JsonObject fields, Form form) {
    private static final Pattern NAME = Pattern.compile("[A-Za-z]{1,64}");
    private static final Pattern UUID_TEXT =
            Pattern.compile("[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}");
    private static final Set<String> RISK_LEVELS = Set.of("low", "medium", "high", "critical");
    private static final int MAX_ID_CHARS = 256;
    private static final int MAX_PATH_CHARS = 4096;

    enum Form {
        CLAUDE,
        PAYLOAD
    }

    static HookEvent parse(byte[] bytes) {
        try {
            StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes));
            var body = new RawJson(bytes).onOneLine();
            var members = JsonObject.parse(body);
            var session = session(members);
            var claude = text(members, "hook_event_name");
            var form = claude.isPresent() ? Form.CLAUDE : Form.PAYLOAD;
            var name =
                    claude.or(() -> text(members, "event_type")).or(() -> text(members, "event"));
            var fields = form == Form.CLAUDE ? members : payload(members);
            return new HookEvent(session, name(name), body, fields, form);
        } catch (CharacterCodingException e) {
            throw new ApiException(ErrorCode.INVALID_JSON, "The body must be valid UTF-8", e);
        } catch (MalformedJsonException e) {
            throw new ApiException(
                    ErrorCode.INVALID_JSON, "The body must be a JSON object: " + e.getMessage(), e);
        }
    }

    private static JsonObject payload(JsonObject members) throws MalformedJsonException {
        var payload = members.object("payload");
        if (payload.isEmpty()) {
            throw ApiException.invalid("payload", "must be an object if hook_event_name is absent");
        }
        return payload.get();
    }

    private static String name(Optional<String> name) {
        return name.filter(text -> NAME.matcher(text).matches())
                .orElseThrow(
                        () ->
                                ApiException.invalid(
                                        "hook_event_name",
                                        "must be the name of the event, such as PreToolUse (event_type and event"
                                                + " are accepted too)"));
    }

    /** Uses Claude Code's UUIDs unchanged; derives a stable UUID from any other name. */
    private static SessionId session(JsonObject members) {
        var id =
                text(members, "session_id")
                        .filter(HookEvent::isName)
                        .orElseThrow(
                                () ->
                                        ApiException.invalid(
                                                "session_id",
                                                "must be a string of 1 to "
                                                        + MAX_ID_CHARS
                                                        + " characters"));
        return id(id);
    }

    static boolean isName(String text) {
        return !text.isEmpty() && text.length() <= MAX_ID_CHARS;
    }

    /** Returns the id of the session that a terminal identifies by this name. */
    static SessionId id(String name) {
        var uuid =
                UUID_TEXT.matcher(name).matches()
                        ? UUID.fromString(name)
                        : UUID.nameUUIDFromBytes(
                                ("hook session " + name).getBytes(StandardCharsets.UTF_8));
        return new SessionId(uuid.toString());
    }

    /** Returns an alternative id if {@code taken} belongs to a session of another tenant. */
    static SessionId id(TenantId tenant, SessionId taken) {
        var scoped = "hook session of %s %s".formatted(tenant.value(), taken.value());
        var id = UUID.nameUUIDFromBytes(scoped.getBytes(StandardCharsets.UTF_8));
        return new SessionId(id.toString());
    }

    /** Returns this event with a session id that is unique to the tenant. */
    HookEvent withIdOfTenant(TenantId tenant) {
        return new HookEvent(id(tenant, session), name, body, fields, form);
    }

    private static Optional<String> text(JsonObject object, String name) {
        try {
            return object.string(name);
        } catch (MalformedJsonException e) {
            return Optional.empty();
        }
    }

    Optional<String> text(String name) {
        return text(fields, name);
    }

    boolean is(String... names) {
        for (var each : names) {
            if (name.equals(each)) {
                return true;
            }
        }
        return false;
    }

    Optional<String> directory() {
        return text("cwd")
                .or(() -> text("working_directory"))
                .filter(text -> !text.isBlank() && text.length() <= MAX_PATH_CHARS);
    }

    String tool() {
        return text("tool_name")
                .or(() -> text("tool"))
                .filter(name -> name.length() <= MAX_ID_CHARS)
                .orElse("");
    }

    RawJson toolInput() {
        return fields.raw("tool_input")
                .or(() -> fields.raw("params"))
                .filter(input -> input.byteAt(0) == '{')
                .orElse(RawJson.EMPTY_OBJECT);
    }

    @Nullable String toolUseId() {
        return text("tool_use_id").or(() -> text("tool_call_id")).orElse(null);
    }

    /** Returns the forwarder's description of the call, or that in the tool's input, as of Bash. */
    @Nullable String description() {
        var description = text("description").filter(text -> !text.isBlank());
        if (description.isPresent()) {
            return description.get();
        }
        try {
            return JsonObject.parse(toolInput()).string("description").orElse(null);
        } catch (MalformedJsonException e) {
            return null;
        }
    }

    /** Returns the risk level stated by the forwarder; null if absent or unknown. */
    @Nullable String riskLevel() {
        return text("risk_level").filter(RISK_LEVELS::contains).orElse(null);
    }

    Kind kind() {
        return switch (tool()) {
            case "AskUserQuestion" -> Kind.QUESTION;
            case "ExitPlanMode" -> Kind.PLAN;
            default -> Kind.TOOL;
        };
    }

    /** Whether this event is about the same call as a question, which often lacks the call id. */
    boolean isSameCall(HookEvent question) {
        var id = question.toolUseId();
        return id == null
                ? tool().equals(question.tool()) && toolInput().equals(question.toolInput())
                : id.equals(toolUseId());
    }
}
