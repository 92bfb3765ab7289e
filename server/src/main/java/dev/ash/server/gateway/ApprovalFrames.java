package dev.ash.server.gateway;

import dev.ash.protocol.SessionId;
import dev.ash.protocol.gateway.GatewayFrame;
import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;

/** Maps approvals to frames. */
final class ApprovalFrames {
    /**
     * Returns the id that devices use: that of the tool call, or of the approval if it has none.
     */
    static String callId(JsonObject approval) throws MalformedJsonException {
        var call = approval.string("toolUseId");
        return call.isPresent() ? call.get() : approval.string("id").orElse("");
    }

    static void addRequired(SessionId session, JsonObject approval, FrameCollector frames)
            throws MalformedJsonException {
        var tool = approval.string("tool").orElse("");
        var input = approval.raw("input").orElse(RawJson.EMPTY_OBJECT);
        var id = callId(approval);
        var payload =
                JsonWriter.object()
                        .put("session_id", session.value())
                        .put("tool_call_id", id)
                        .put("tool", tool)
                        .put("params", input)
                        .put("description", ToolTexts.describeApproval(approval))
                        .put(
                                "risk_level",
                                approval.string("riskLevel")
                                        .orElseGet(() -> ToolTexts.risk(tool, input).wire()))
                        .put("source", isOfTerminal(approval) ? "hooks" : "agent_sdk")
                        .end();
        var type =
                switch (approval.string("kind").orElse("tool")) {
                    case "question" -> "question_required";
                    case "plan" -> "plan_review_required";
                    default -> "approval_required";
                };
        var frame = new GatewayFrame("approval_required", id, payload);
        if (type.equals("approval_required")) {
            frames.add(frame);
        } else {
            frames.addUnless(Capability.QUESTIONS, frame);
            frames.addIf(Capability.QUESTIONS, new GatewayFrame(type, id, payload));
        }
    }

    /** The protocol has only two sources: hooks and the agent SDK. */
    private static boolean isOfTerminal(JsonObject approval) throws MalformedJsonException {
        return approval.string("source").orElse("").equals("hooks");
    }

    static void addResolved(SessionId session, JsonObject approval, FrameCollector frames)
            throws MalformedJsonException {
        frames.addIf(
                Capability.APPROVALS,
                GatewayFrame.of(
                        "approval_resolved",
                        JsonWriter.object()
                                .put("session_id", session.value())
                                .put("tool_call_id", callId(approval))
                                .put("decision", approval.string("status").orElse(""))
                                .put("decided_by", approval.string("decidedBy").orElse(null))));
    }

    private ApprovalFrames() {}
}
