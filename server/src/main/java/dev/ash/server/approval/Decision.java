package dev.ash.server.approval;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.bridge.BridgeEvent.Approval.Kind;
import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;
import dev.ash.protocol.rest.ApprovalApi;
import org.jspecify.annotations.Nullable;

/** A validated answer to a question. */
record Decision(
        ApprovalStatus status,
        @Nullable RawJson input,
        @Nullable String message,
        @Nullable String scope) {
    static final String ONCE = "once";
    static final String SESSION = "session";
    static final Decision EXPIRED = new Decision(ApprovalStatus.EXPIRED, null, null, null);
    static final Decision CANCELLED = new Decision(ApprovalStatus.CANCELLED, null, null, null);
    static final Decision BY_RULE = new Decision(ApprovalStatus.APPROVED, null, null, SESSION);

    private static final int MAX_MESSAGE_CHARS = 10_000;
    private static final String ANSWERS =
            "{\"answers\": {\"<the question>\": \"<the chosen label, or any text>\"}}";

    /** Validates the answer of a client. */
    static Decision of(ApprovalApi.Decide answer, Kind kind) {
        var status =
                switch (answer.decision()) {
                    case "approved" -> ApprovalStatus.APPROVED;
                    case "modified" -> ApprovalStatus.MODIFIED;
                    case "rejected" -> ApprovalStatus.REJECTED;
                    default ->
                            throw ApiException.invalid(
                                    "decision",
                                    "must be approved, modified or rejected, was \""
                                            + shortened(answer.decision())
                                            + "\"");
                };
        var decision = new Decision(status, answer.input(), blankToNull(answer.message()), null);
        decision.checkMessage();
        decision.checkInput(kind);
        return new Decision(
                status, answer.input(), decision.message(), scope(answer.scope(), status, kind));
    }

    boolean isForSession() {
        return SESSION.equals(scope);
    }

    private void checkMessage() {
        if (message != null && message.length() > MAX_MESSAGE_CHARS) {
            throw ApiException.invalid(
                    "message",
                    "must have at most "
                            + MAX_MESSAGE_CHARS
                            + " characters, has "
                            + message.length());
        }
    }

    private void checkInput(Kind kind) {
        if (status != ApprovalStatus.MODIFIED) {
            if (input != null) {
                throw ApiException.invalid(
                        "input",
                        "is allowed only with the decision modified; omit it with "
                                + status.wire());
            }
            if (kind == Kind.QUESTION && status == ApprovalStatus.APPROVED) {
                throw ApiException.invalid(
                        "decision",
                        "a question needs an answer: send modified with the input " + ANSWERS);
            }
            return;
        }
        if (input == null) {
            throw ApiException.invalid(
                    "input", "is required with modified: the input to call the tool with instead");
        }
        try {
            var members = JsonObject.parse(input);
            if (kind == Kind.QUESTION && members.object("answers").isEmpty()) {
                throw ApiException.invalid("input", "must contain the answers, as in " + ANSWERS);
            }
        } catch (MalformedJsonException e) {
            throw ApiException.invalid(
                    "input", "must be a JSON object, like the input of the tool");
        }
    }

    private static @Nullable String scope(
            @Nullable String scope, ApprovalStatus status, Kind kind) {
        if (status == ApprovalStatus.REJECTED) {
            if (scope != null) {
                throw ApiException.invalid(
                        "scope",
                        "is allowed only with approved; a rejection applies to this call only");
            }
            return null;
        }
        return switch (scope == null ? ONCE : scope) {
            case ONCE -> ONCE;
            case SESSION -> {
                if (status == ApprovalStatus.MODIFIED) {
                    throw ApiException.invalid(
                            "scope",
                            "session is not allowed with modified, as a changed input applies only to"
                                    + " this call. Send once, or approved with session");
                }
                if (kind != Kind.TOOL) {
                    throw ApiException.invalid(
                            "scope",
                            "session is allowed only for tools: every "
                                    + kind.wire()
                                    + " needs its own answer");
                }
                yield SESSION;
            }
            default ->
                    throw ApiException.invalid(
                            "scope", "must be once or session, was \"" + shortened(scope) + "\"");
        };
    }

    private static @Nullable String blankToNull(@Nullable String text) {
        return text == null || text.isBlank() ? null : text;
    }

    private static String shortened(@Nullable String text) {
        return DecisionNotice.shortened(String.valueOf(text), 40);
    }
}
