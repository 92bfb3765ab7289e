package dev.ash.server.gateway;

import dev.ash.protocol.SessionId;
import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;
import java.util.Map;

/**
 * The type, texts and priority of a notification.
 *
 * @param data fields for the app, such as the screen to open
 */
record NotificationText(
        String type, String title, String body, String priority, Map<String, String> data) {
    private static final int MAX_BODY = 300;
    private static final Map<String, String> SESSION = Map.of("screen", "session");

    /** {@code approval} is a question of the agent, or a tool call that requires approval. */
    static NotificationText approvalRequired(DeviceSessions.Summary session, JsonObject approval)
            throws MalformedJsonException {
        var description = ToolTexts.describeApproval(approval);
        var data =
                Map.of(
                        "tool_call_id",
                        ApprovalFrames.callId(approval),
                        "screen",
                        "approval_detail");
        if (approval.string("kind").orElse("").equals("question")) {
            return new NotificationText(
                    "question",
                    "Question in " + session.project(),
                    line(description),
                    "high",
                    data);
        }
        var input = approval.raw("input").orElse(RawJson.EMPTY_OBJECT);
        var tool = approval.string("tool").orElse("");
        return new NotificationText(
                "approval_required",
                "Approval needed: " + description,
                line(
                        "%s wants to use %s in %s"
                                .formatted(
                                        session.agent(),
                                        ToolTexts.summarizeCall(tool, input),
                                        session.project())),
                "high",
                data);
    }

    static NotificationText failed(DeviceSessions.Summary session, String error) {
        return new NotificationText(
                "error", session.project() + ": the agent failed", line(error), "high", SESSION);
    }

    /** Returns a notification whose body is the first line of the answer. */
    static NotificationText finished(DeviceSessions.Summary session, TurnOutcome outcome) {
        if (outcome.failure().isPresent()) {
            return failed(session, outcome.failure().get());
        }
        return new NotificationText(
                "task_complete",
                session.project() + ": the agent has finished",
                outcome.answer().isBlank() ? session.title() : line(outcome.answer()),
                "normal",
                SESSION);
    }

    private static String line(String text) {
        return PromptTitles.firstLine(text, MAX_BODY);
    }

    RawJson payload(String id, SessionId session) {
        return JsonWriter.object()
                .put("notification_id", id)
                .put("session_id", session.value())
                .put("notification_type", type)
                .put("title", title)
                .put("body", body)
                .put("priority", priority)
                .put("data", data)
                .end();
    }
}
